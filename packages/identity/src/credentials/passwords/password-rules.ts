import { Failure } from '@platform/kernel'
import { dictionary } from '@zxcvbn-ts/language-common'
import { requirePasswordLength } from '../../users/user.ts'

/** Why a password of good length is none: everybody tries it first, or the account itself gives it away. */
export type PasswordWeakness = 'common' | 'personal'

/** What an account tells of itself. */
export interface PasswordOwner {
  email?: string | undefined
  firstName?: string | undefined
  lastName?: string | undefined
}

const SENTENCES: Readonly<Record<PasswordWeakness, string>> = {
  common:
    'This password is among those that are tried first: choose another one, for example a few unrelated words.',
  personal:
    'This password holds little beside your name or address: choose another one, for example a few unrelated words.',
}

/** A password that is refused for what it says, not for its length. */
export class WeakPassword extends Failure {
  readonly weakness: PasswordWeakness

  constructor(weakness: PasswordWeakness) {
    super('RequestValidationError', SENTENCES[weakness], {
      details: [{ path: 'body.password', message: `is too easy to guess: ${weakness}` }],
    })
    this.weakness = weakness
  }
}

/**
 * Throws unless somebody may choose this password: of acceptable length, not a common one, and not made of what the
 * account tells.
 */
export function requireGoodPassword(password: string, owner: PasswordOwner): void {
  requirePasswordLength(password)
  const weakness = weaknessOf(password, owner)
  if (weakness !== undefined) throw new WeakPassword(weakness)
}

/** Shorter pieces stand in many words. */
const PIECE_MIN = 4
/** What must be left of a password without the words of its account. */
const REST_MIN = 8

/** What is wrong with a password of good length; what is left without the words of the account is looked at as well. */
export function weaknessOf(password: string, owner: PasswordOwner): PasswordWeakness | undefined {
  const text = folded(password)
  const rest = piecesOf(owner).reduce((left, piece) => left.replaceAll(piece, ''), text)
  if (rest !== text && ([...rest].length < REST_MIN || isCommon(rest))) return 'personal'
  return isCommon(text) ? 'common' : undefined
}

const folded = (text: string): string => text.normalize('NFKC').toLowerCase()

/** The longest first, so that none leaves a part of another behind. */
function piecesOf({ email = '', firstName = '', lastName = '' }: PasswordOwner): string[] {
  const [local = '', domain = ''] = folded(email).split('@')
  const texts = [email, local, domain, firstName, lastName].map(folded)
  const words = texts.flatMap((text) => text.split(/[^\p{L}\p{N}]+/u))
  const joined = [firstName + lastName, lastName + firstName].map((name) => folded(name).replaceAll(' ', ''))
  return [...new Set([...texts, ...words, ...joined])]
    .filter((piece) => piece.length >= PIECE_MIN)
    .toSorted((one, other) => other.length - one.length)
}

/** Digits and signs that are put around a word to please a rule. */
const DECORATION = /^[^\p{L}]{0,6}|[^\p{L}]{0,6}$/gu

function isCommon(text: string): boolean {
  if (commonPasswords().has(text) || commonPasswords().has(text.replaceAll(DECORATION, ''))) return true
  return isRepeated(text) || isRun(text)
}

/** The same few characters again and again: half of it or less says all. A long one holds enough nevertheless. */
const isRepeated = (text: string): boolean => text.length <= 32 && /^(.{1,4}?)\1+$/su.test(text)

/** 12345678, hgfedcba: each character next to the one before. */
function isRun(text: string): boolean {
  const codes = [...text].map((character) => character.codePointAt(0) ?? 0)
  const step = (codes[1] ?? 0) - (codes[0] ?? 0)
  return (
    Math.abs(step) === 1 &&
    codes.every((code, index) => index === 0 || code - (codes[index - 1] ?? 0) === step)
  )
}

let known: ReadonlySet<string> | undefined

/** The 49,000 passwords that leaks hold most often. Most instances never need them indexed. */
function commonPasswords(): ReadonlySet<string> {
  known ??= new Set(dictionary['passwords-common'].filter((password) => password.length >= PIECE_MIN))
  return known
}
