import { randomInt } from 'node:crypto'

/** Without characters that look alike, so that it can be read from a screen and typed. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

/** A password nobody chose: 20 characters in groups of five, about 116 bits. */
export function generatedPassword(): string {
  const group = () => Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
