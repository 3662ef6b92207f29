import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'

/** One entry of SECRETS_MASTER_KEYS. */
export interface MasterKey {
  id: string
  key: Buffer
}

/** `<id>:<base64 of 32 bytes>`, comma list. */
export const masterKeysField = z
  .string({ error: 'is required: <id>:<base64 of 32 bytes>, for example k1:$(openssl rand -base64 32)' })
  .transform((text, context) => {
    const keys = text.split(',').map((entry) => parseEntry(entry.trim()))
    const known = keys.filter((key): key is MasterKey => key !== undefined)
    if (known.length === keys.length && new Set(known.map(({ id }) => id)).size === known.length) return known
    context.addIssue({
      code: 'custom',
      message: 'must be <id>:<base64 of 32 bytes>, a comma list with different ids',
    })
    return z.NEVER
  })

function parseEntry(entry: string): MasterKey | undefined {
  const [, id, base64] = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/_-]+={0,2})$/.exec(entry) ?? []
  if (id === undefined || base64 === undefined) return undefined
  const key = Buffer.from(base64, 'base64')
  return key.length === 32 ? { id, key } : undefined
}

/**
 * Seals what must not be readable in the database. `context` is `table|row|column`: a sealed value opens only
 * where it was sealed for.
 */
export interface MasterKeyRing {
  /** Id of the key that seals. */
  readonly currentId: string
  /** Ids of all keys, the one that seals first. */
  readonly ids: readonly string[]
  seal(text: string, context: string): string
  /** Throws an Error with a sentence when the key is missing or the value was moved or changed. */
  open(sealed: string, context: string): string
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM with a random nonce; the first key seals, every key opens what carries its id. */
export function masterKeyRing(keys: readonly MasterKey[]): MasterKeyRing {
  const [current] = keys
  if (current === undefined) throw new Error('SECRETS_MASTER_KEYS is empty.')
  return {
    currentId: current.id,
    ids: keys.map(({ id }) => id),
    seal(text, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, current.key, nonce).setAAD(Buffer.from(context))
      const bytes = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${current.id}:${bytes.toString('base64')}`
    },
    open(sealed, context) {
      const id = masterKeyIdOf(sealed)
      const master = keys.find((key) => key.id === id)
      if (master === undefined)
        throw new Error(`SECRETS_MASTER_KEYS has no key "${id}", which sealed ${context}: add it back.`)
      return unseal(Buffer.from(sealed.slice(id.length + 1), 'base64'), master, context)
    },
  }
}

/** Id of the master key that sealed a value. */
export const masterKeyIdOf = (sealed: string): string => sealed.slice(0, Math.max(0, sealed.indexOf(':')))

function unseal(bytes: Buffer, master: MasterKey, context: string): string {
  const decipher = createDecipheriv(ALGORITHM, master.key, bytes.subarray(0, NONCE_BYTES)).setAAD(
    Buffer.from(context),
  )
  try {
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([
      decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)),
      decipher.final(),
    ]).toString('utf8')
  } catch (cause) {
    throw new Error(
      `The key "${master.id}" of SECRETS_MASTER_KEYS is not the one that sealed ${context}: restore it.`,
      { cause },
    )
  }
}

/** Tells keys apart in logs and backups, and nothing about them: they are random, so that none can be guessed. */
export const fingerprintOf = ({ key }: MasterKey): string =>
  createHash('sha256').update('master key\0').update(key).digest('hex').slice(0, 16)
