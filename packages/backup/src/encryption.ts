import { Decrypter, Encrypter } from 'age-encryption'
import { BackupProblem, damaged } from './manifest.ts'

/**
 * Who may open a backup: those who know the passphrase, or those with the key of a recipient (`age1…`). `workFactor`
 * is the power of two that a guess costs by scrypt, 18 without it.
 */
export type Encryption = { passphrase: string; workFactor?: number } | { recipients: readonly string[] }

/** What may open one: a passphrase, keys (`AGE-SECRET-KEY-1…`), both or none. */
export interface Opening {
  passphrase?: string | undefined
  keys?: readonly string[] | undefined
}

type Bytes = AsyncIterable<Uint8Array>

/** How the format of age begins, https://age-encryption.org/v1: what is changed, moved or cut off in it is noticed. */
const AGE = Buffer.from('age-encryption.org/')
const ZSTD = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** A stage of a pipeline that encrypts. */
export function encrypted(encryption: Encryption): (plain: Bytes) => Bytes {
  const encrypter = new Encrypter()
  if ('passphrase' in encryption) {
    encrypter.setPassphrase(encryption.passphrase)
    if (encryption.workFactor !== undefined) encrypter.setScryptWorkFactor(encryption.workFactor)
  } else for (const recipient of encryption.recipients) addRecipient(encrypter, recipient)
  return async function* encrypt(plain) {
    yield* await encrypter.encrypt(ReadableStream.from(plain))
  }
}

function addRecipient(encrypter: Encrypter, recipient: string): void {
  try {
    encrypter.addRecipient(recipient)
  } catch (cause) {
    throw new BackupProblem('A recipient must be the public key that "age-keygen" prints: age1….', { cause })
  }
}

/** The bytes of a backup without its encryption. Throws BackupProblem where it can't be opened, or was changed. */
export async function* opened(source: Bytes, opening: Opening): Bytes {
  const chunks = source[Symbol.asyncIterator]()
  const first = await firstOf(chunks, AGE.length)
  const whole = rejoined(first, chunks)
  if (first.subarray(0, ZSTD.length).equals(ZSTD)) yield* whole
  else if (first.subarray(0, AGE.length).equals(AGE)) yield* decrypted(whole, opening)
  else throw new BackupProblem('The file is no backup of the platform.')
}

async function firstOf(chunks: AsyncIterator<Uint8Array>, length: number): Promise<Buffer> {
  let first = Buffer.alloc(0)
  while (first.length < length) {
    const { value, done } = await chunks.next()
    if (done === true) break
    first = Buffer.concat([first, value])
  }
  return first
}

async function* rejoined(first: Buffer, chunks: AsyncIterator<Uint8Array>): Bytes {
  yield first
  for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value
}

async function* decrypted(source: Bytes, { passphrase, keys = [] }: Opening): Bytes {
  if (passphrase === undefined && keys.length === 0)
    throw new BackupProblem(
      'The backup is encrypted: give --passphrase-file or --key-file, or set BACKUP_PASSPHRASE.',
    )
  const decrypter = new Decrypter()
  if (passphrase !== undefined) decrypter.addPassphrase(passphrase)
  for (const key of keys) addKey(decrypter, key)
  const plain = await decrypter.decrypt(ReadableStream.from(source)).catch((cause: unknown) => {
    if (cause instanceof Error && /no identity matched/i.test(cause.message))
      throw new BackupProblem('The backup was encrypted for another passphrase or key.', { cause })
    throw damaged('its encryption does not begin as it was written', cause)
  })
  try {
    yield* plain
  } catch (cause) {
    throw damaged('it was cut off or changed after it was encrypted', cause)
  }
}

function addKey(decrypter: Decrypter, key: string): void {
  try {
    decrypter.addIdentity(key)
  } catch (cause) {
    throw new BackupProblem('The key file must hold what "age-keygen" writes: AGE-SECRET-KEY-1….', { cause })
  }
}
