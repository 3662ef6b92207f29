import * as buffer from 'buffer/'

const { Buffer } = buffer

/** The package knows all encodings of Node but this one; it reads it as base64. */
const isUrl = (encoding: unknown): boolean => String(encoding).toLowerCase() === 'base64url'
const known = (encoding: unknown): unknown => (isUrl(encoding) ? 'base64' : encoding)

const { from, byteLength, isEncoding } = Buffer
const { toString: textOf, write } = Buffer.prototype
type Call = (...parameters: unknown[]) => never

Object.assign(Buffer, {
  from: (source: unknown, encoding: unknown, length: unknown) =>
    (from as Call).call(Buffer, source, known(encoding), length),
  byteLength: (source: unknown, encoding: unknown) =>
    (byteLength as Call).call(Buffer, source, known(encoding)),
  isEncoding: (encoding: unknown) => isUrl(encoding) || isEncoding(String(encoding)),
})

Object.assign(Buffer.prototype, {
  toString(this: unknown, encoding: unknown, ...range: unknown[]): string {
    const text: string = (textOf as Call).call(this, known(encoding), ...range)
    return isUrl(encoding) ? text.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '') : text
  },
  write(this: unknown, ...parameters: unknown[]): number {
    return (write as Call).call(this, ...parameters.map(known))
  },
})

/** The module. */
export const bufferModule = {
  ...buffer,
  Buffer,
  constants: { MAX_LENGTH: 2 ** 31 - 1, MAX_STRING_LENGTH: 2 ** 29 - 24 },
  atob: (text: string): string => globalThis.atob(text),
  btoa: (text: string): string => globalThis.btoa(text),
}
