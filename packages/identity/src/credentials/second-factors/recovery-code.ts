import { createHash, randomInt } from 'node:crypto'

/** Letters and digits nobody mistakes for each other (Crockford). */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const LENGTH = 15
const GROUP = 5
const COUNT = 10

/** Ten codes of 75 random bits each, in groups that can be copied by hand. */
export const newRecoveryCodes = (): string[] => Array.from({ length: COUNT }, newCode)

function newCode(): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)])
  return letters.join('').replace(new RegExp(`(.{${GROUP}})(?=.)`, 'g'), '$1-')
}

/** A recovery code as it was typed, whatever its case, groups and mistaken letters; undefined for what is none. */
export function readRecoveryCode(typed: string): string | undefined {
  const code = typed.replace(/[\s-]/g, '').toUpperCase().replaceAll('O', '0').replace(/[IL]/g, '1')
  return code.length === LENGTH && [...code].every((letter) => ALPHABET.includes(letter)) ? code : undefined
}

/** What is kept of a code. One hash is enough for 75 random bits, and the user in it keeps equal codes apart. */
export const hashRecoveryCode = (userId: string, code: string): string =>
  createHash('sha256')
    .update(JSON.stringify([userId, readRecoveryCode(code)]))
    .digest('base64url')
