import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const hash = promisify(argon2)

/** What argon2id needs for one hash; `memory` in KiB. */
export interface HashCost {
  memory: number
  passes: number
  parallelism: number
}

/** argon2id with 19 MiB and two passes: the least OWASP recommends, about 35 ms on one core. */
export const RECOMMENDED_COST: HashCost = { memory: 19_456, passes: 2, parallelism: 1 }
const TAG_LENGTH = 32

/** What a stored hash says of itself. */
interface Parts extends HashCost {
  salt: Buffer
  tag: Buffer
}

/** A new hash of a password as a PHC string, with a salt of its own. */
export async function hashPassword(password: string, cost: HashCost): Promise<string> {
  const salt = randomBytes(16)
  const { memory, passes, parallelism } = cost
  const tag = await digest(password, { memory, passes, parallelism, salt, tagLength: TAG_LENGTH })
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(tag)}`
}

/** True when the password is the one the hash was made of. A text that is no such hash is no password's. */
export async function matchesHash(password: string, stored: string): Promise<boolean> {
  const parts = parseHash(stored)
  if (parts === undefined) return false
  const { tag, ...cost } = parts
  return timingSafeEqual(await digest(password, { ...cost, tagLength: tag.length }), tag)
}

/** True when a hash was made with another cost than new ones are. */
export function isOutdated(stored: string, cost: HashCost): boolean {
  const parts = parseHash(stored)
  if (parts === undefined) return true
  return (
    parts.memory !== cost.memory || parts.passes !== cost.passes || parts.parallelism !== cost.parallelism
  )
}

/** Equal texts may be typed as different code points; NFKC makes them the same password. */
const digest = (password: string, cost: Omit<Parts, 'tag'> & { tagLength: number }): Promise<Buffer> =>
  hash('argon2id', {
    message: Buffer.from(password.normalize('NFKC')),
    nonce: cost.salt,
    memory: cost.memory,
    passes: cost.passes,
    parallelism: cost.parallelism,
    tagLength: cost.tagLength,
  })

const PHC =
  /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/

function parseHash(stored: string): Parts | undefined {
  const [, memory, passes, parallelism, salt, tag] = PHC.exec(stored) ?? []
  if (salt === undefined || tag === undefined) return undefined
  return {
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')
