import { raw, type Sql } from '@platform/database'
import { hashOfText } from '@platform/kernel'
import { isScalar, keysOf, type Scalar, textOf } from '../filter.ts'
import { addText, isTelling, LENGTH_MAX, WORDS_MAX, wantedIn, wordsOf } from '../words.ts'
import { Lexemes } from './lexemes.ts'
import { FoundGroups, groupsWith } from './name-groups.ts'

/**
 * What a document is found by (ADR 0087), a `tsvector` in its binary form: its words, those of names that come together
 * in nearly every event as one, and for each value that words alone would not find among others a term of its path and
 * text. Words are letters, marks, digits and the hyphens of a UUID, and no term begins with one of these.
 */
export function vectorOf(document: unknown): Buffer {
  const found: Found = { lexemes, names: new FoundGroups(), termCount: 0 }
  lexemes.reset()
  collect(document, NO_PATH, found)
  lexemes.add(HAS_TERMS)
  if (isFull(found)) lexemes.add(IS_CUT)
  for (const lexeme of found.names.lexemes) lexemes.add(lexeme)
  return lexemes.toVector()
}

const lexemes = new Lexemes(WORDS_MAX, LENGTH_MAX)

/** Has terms: documents that a version before stored have words alone. */
const HAS_TERMS = '='
/** Has more words or values than it is found by. */
const IS_CUT = '*'
/** With the words that is less than a megabyte, which PostgreSQL keeps. */
const TERMS_MAX = 5000

/** The hash of the path of a whole document; of a field it is that of its key, after the one above it. */
const NO_PATH = 0

interface Found {
  readonly lexemes: Lexemes
  readonly names: FoundGroups
  /** Terms are hashes: what shares one is told apart by the document itself. */
  termCount: number
}

const isFull = ({ lexemes, termCount }: Found): boolean => lexemes.isFull || termCount >= TERMS_MAX

function collect(value: unknown, path: number, found: Found): void {
  if (value === undefined || isFull(found)) return
  if (isScalar(value)) addLeaf(value, path, found)
  else if (Array.isArray(value)) for (const element of value) collect(element, path, found)
  else collectFields(value as Readonly<Record<string, unknown>>, path, found)
}

function collectFields(fields: Readonly<Record<string, unknown>>, path: number, found: Found): void {
  const keys = Object.keys(fields)
  found.names.addOf(fields, keys)
  for (const key of keys) collectField(key, fields[key], path, found)
}

function collectField(key: string, field: unknown, path: number, found: Found): void {
  if (field === undefined) return
  if (!found.names.has(key)) addText(key, found.lexemes)
  collect(field, hashOfText(key, path), found)
}

/**
 * What its words tell from others needs no term: the index would cost several times as much, because few of these would
 * come again.
 */
function addLeaf(value: Scalar, path: number, found: Found): void {
  const shown = typeof value === 'string' ? value : String(value)
  const isTelling = value !== null && addText(shown, found.lexemes)
  const text = typeof value === 'number' ? textOf(value) : shown
  // Numbers with an exponent have other words than the text they are equal to.
  if (isTelling && text === shown) return
  if (found.lexemes.add(termOf(hashOfText(text, path)))) found.termCount += 1
}

/** SQL, a `tsquery`: what documents have in which a path is one of the values. Others have it too. */
export function maybeEquals(path: string, values: readonly Scalar[]): string {
  const hash = keysOf(path).reduce((above, key) => hashOfText(key, above), NO_PATH)
  const found = new Set([IS_CUT])
  for (const value of values) {
    const text = textOf(value)
    found.add(`'${termOf(hashOfText(text, hash))}'`)
    if (isTelling(text))
      found.add(
        `(${wordsOf(text)
          .map((word) => `'${word}'`)
          .join(' & ')})`,
      )
  }
  return [...found].join(' | ')
}

/** SQL, a `tsquery`: what documents have in which a text is found; empty for one without words. */
export const hasText = (text: string): string =>
  wantedIn(text)
    .map(({ word, runs }) => (runs.length === 0 ? begins(word) : `(${begins(word)} | (${allBegin(runs)}))`))
    .join(' & ')

/** SQL: a word of the document begins with this one, or one of names that a group stands for. */
function begins(word: string): string {
  const inGroups = groupsWith(word).map((lexeme) => `'${lexeme}'`)
  return inGroups.length === 0 ? `'${word}':*` : `('${word}':* | ${inGroups.join(' | ')})`
}

const allBegin = (words: readonly string[]): string => words.map(begins).join(' & ')

/** The condition of the index `documents_fields`, word for word: what a version before stored has no terms. */
export const HAS_NO_TERMS: Sql = raw(`not words @@ '${HAS_TERMS}'::tsquery`)

/** Most terms come again and again: their texts are remembered, of so many at most. */
const REMEMBERED_TERMS = 10_000
const rememberedTerms = new Map<number, string>()

function termOf(hash: number): string {
  const known = rememberedTerms.get(hash)
  if (known !== undefined) return known
  if (rememberedTerms.size >= REMEMBERED_TERMS) rememberedTerms.clear()
  const term = `=${(hash >>> 0).toString(36)}`
  rememberedTerms.set(hash, term)
  return term
}
