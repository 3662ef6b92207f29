import { Buffer } from 'buffer/'

/** What the prelude gives of WebCrypto, and how it digests at once. */
interface PlatformCrypto {
  getRandomValues<T extends ArrayBufferView>(view: T): T
  randomUUID(): string
  readonly subtle: object
}

declare const $digest: (algorithm: string, bytes: Uint8Array) => Uint8Array
const web = globalThis.crypto as unknown as PlatformCrypto

type Bytes = string | ArrayBufferView | ArrayBuffer
type Encoding = 'hex' | 'base64' | 'base64url' | 'latin1' | 'binary' | 'utf8'

/** By the names of Node: what the platform calls it, and how many bytes it takes at once. */
const ALGORITHMS: Readonly<Record<string, readonly [name: string, blockBytes: number]>> = {
  md5: ['MD5', 64],
  sha1: ['SHA-1', 64],
  sha256: ['SHA-256', 64],
  sha384: ['SHA-384', 128],
  sha512: ['SHA-512', 128],
}

export const getHashes = (): string[] => Object.keys(ALGORITHMS)

function algorithmOf(given: string): readonly [name: string, blockBytes: number] {
  const name = String(given).toLowerCase().replace('-', '')
  const known = Object.hasOwn(ALGORITHMS, name) ? ALGORITHMS[name] : undefined
  if (known === undefined)
    throw new Error(`There is no digest "${given}": choose from ${getHashes().join(', ')}.`)
  return known
}

function bytesOf(source: Bytes, encoding?: string): Buffer {
  if (typeof source === 'string') return Buffer.from(source, encoding as 'utf8')
  if (ArrayBuffer.isView(source))
    return Buffer.from(source.buffer as ArrayBuffer, source.byteOffset, source.byteLength)
  if (source instanceof ArrayBuffer) return Buffer.from(source)
  throw new TypeError('It takes a text, a Buffer, or other bytes.')
}

/** What comes in pieces is digested at once when it is asked for. */
class Hash {
  readonly #finish: (bytes: Uint8Array) => Uint8Array
  #pieces: Uint8Array[] = []
  #isOver = false

  constructor(finish: (bytes: Uint8Array) => Uint8Array) {
    this.#finish = finish
  }

  update(source: Bytes, encoding?: string): this {
    if (this.#isOver) throw new Error('Digest already called')
    // As it is now: whoever gave it may change it.
    this.#pieces.push(Uint8Array.from(bytesOf(source, encoding)))
    return this
  }

  digest(): Buffer
  digest(encoding: Encoding): string
  digest(encoding?: Encoding): Buffer | string {
    if (this.#isOver) throw new Error('Digest already called')
    this.#isOver = true
    const digest = Buffer.from(this.#finish(Buffer.concat(this.#pieces)))
    this.#pieces = []
    return encoding === undefined ? digest : digest.toString(encoding as 'hex')
  }
}

export function createHash(algorithm: string): Hash {
  const [name] = algorithmOf(algorithm)
  return new Hash((bytes) => $digest(name, bytes))
}

export const hash = (algorithm: string, source: Bytes, encoding: Encoding = 'hex'): string =>
  createHash(algorithm).update(source).digest(encoding)

export function createHmac(algorithm: string, secret: Bytes): Hash {
  const [name, blockBytes] = algorithmOf(algorithm)
  const given = bytesOf(secret)
  const key = Buffer.alloc(blockBytes)
  key.set(given.length > blockBytes ? $digest(name, given) : given)
  const padded = (pad: number) => key.map((byte) => byte ^ pad)
  return new Hash((bytes) => {
    const inner = $digest(name, Buffer.concat([padded(0x36), bytes]))
    return $digest(name, Buffer.concat([padded(0x5c), inner]))
  })
}

const MOST_RANDOM_BYTES = 10_000_000
const AT_ONCE = 65_536

export function randomBytes(length: number): Buffer {
  if (!(length >= 0 && length <= MOST_RANDOM_BYTES))
    throw new RangeError(`randomBytes gives ${MOST_RANDOM_BYTES} bytes at most.`)
  return randomFillSync(Buffer.alloc(length))
}

export function randomFillSync<T extends Uint8Array>(target: T): T {
  for (let from = 0; from < target.length; from += AT_ONCE)
    web.getRandomValues(target.subarray(from, from + AT_ONCE))
  return target
}

/** A whole number from `least` on, below `end`, each as likely as the others. */
export function randomInt(least: number, end?: number): number {
  const [from, to] = end === undefined ? [0, least] : [least, end]
  const range = to - from
  if (!Number.isSafeInteger(from) || !(range > 0) || range > 2 ** 48)
    throw new RangeError('randomInt takes whole numbers, the second greater than the first.')
  const fair = 2 ** 48 - (2 ** 48 % range)
  for (;;) {
    const value = randomBytes(6).readUIntBE(0, 6)
    if (value < fair) return from + (value % range)
  }
}

export const randomUUID = (): string => web.randomUUID()
export const getRandomValues = <T extends ArrayBufferView>(view: T): T => web.getRandomValues(view)
export const { subtle } = web
export const webcrypto = web

export function timingSafeEqual(one: ArrayBufferView, other: ArrayBufferView): boolean {
  const [a, b] = [bytesOf(one), bytesOf(other)]
  if (a.length !== b.length) throw new RangeError('Input buffers must have the same byte length')
  let difference = 0
  for (const [at, byte] of a.entries()) difference |= byte ^ (b[at] ?? 0)
  return difference === 0
}
