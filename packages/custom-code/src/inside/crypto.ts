import { ask, bytesOf, bytesOfText, textOfBytes } from './border.ts'

const hex = (byte: number): string => byte.toString(16).padStart(2, '0')

function randomBytes(length: number): Uint8Array<ArrayBuffer> {
  if (length > 65_536) throw new RangeError('getRandomValues gives at most 65536 bytes at once.')
  return bytesOfText(ask('random', String(length), ''))
}

/** At once, as `createHash` of Node has it. */
export const digestAtOnce = (algorithm: string, bytes: Uint8Array): Uint8Array =>
  bytesOfText(ask('digest', algorithm, textOfBytes(bytes)))

/** What functions need of WebCrypto: random values and digests. */
export const crypto = {
  getRandomValues<T extends ArrayBufferView>(view: T): T {
    bytesOf(view).set(randomBytes(view.byteLength))
    return view
  },

  randomUUID(): string {
    const bytes = randomBytes(16)
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
    return [...bytes]
      .map(hex)
      .join('')
      .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
  },

  subtle: {
    async digest(
      algorithm: string | { name: string },
      data: ArrayBuffer | ArrayBufferView,
    ): Promise<ArrayBuffer> {
      const name = String(typeof algorithm === 'string' ? algorithm : algorithm.name)
      if (!/^sha-/i.test(name)) throw new Error(`There is no digest "${name}" here: choose one of SHA-.`)
      return digestAtOnce(name, bytesOf(data)).slice().buffer as ArrayBuffer
    },
  },
}
