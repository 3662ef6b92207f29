import { createHash } from 'node:crypto'
import { crc32 } from 'node:zlib'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECKSUM_LENGTH = 6

/**
 * Appends 6 base62 characters, so that a mistyped or made-up token is refused without asking the database.
 */
export const withChecksum = (prefix: string, random: string): string =>
  `${prefix}${random}${checksumOf(prefix + random)}`

/** True when a token is `prefix`, `length` base62 characters and their checksum. */
export function hasValidChecksum(token: string, prefix: string, length: number): boolean {
  if (token.length !== prefix.length + length + CHECKSUM_LENGTH || !token.startsWith(prefix)) return false
  const end = token.length - CHECKSUM_LENGTH
  return (
    /^[0-9A-Za-z]+$/.test(token.slice(prefix.length)) && token.slice(end) === checksumOf(token.slice(0, end))
  )
}

/** The only form in which a token is kept: SHA-256, hexadecimal. */
export const hashToken = (token: string): string => createHash('sha256').update(token).digest('hex')

function checksumOf(text: string): string {
  let rest = crc32(text)
  let checksum = ''
  while (checksum.length < CHECKSUM_LENGTH) {
    checksum = (BASE62[rest % 62] ?? '') + checksum
    rest = Math.floor(rest / 62)
  }
  return checksum
}
