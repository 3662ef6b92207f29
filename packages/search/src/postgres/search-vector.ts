import { raw, type Sql } from '@platform/database'
import { hashOfText } from '@platform/kernel'
import { asJson, isScalar, keysOf, type Scalar, textOf } from '../filter.ts'
import { addText, isTelling, LENGTH_MAX, WORDS_MAX, wantedIn, wordsOf } from '../words.ts'
import { type KnownField, type KnownText, TextMemory } from './known-texts.ts'
import { Lexemes } from './lexemes.ts'
import { groupsWith } from './name-groups.ts'
import type { Wanted } from './wanted.ts'

/**
 * What a document is found by once it is JSON (ADR 0087), a `tsvector` in its binary form: its words, and for each
 * value that words alone would not find among others a term of its path and text. Words are letters, marks, digits and
 * the hyphens of a UUID, and no term begins with one of these.
 */
export const vectorOf = (document: unknown): Buffer => lexemesOf(document).toVector()

/**
 * The lexemes of which that vector is; until this is called again. Without those that a vocabulary has of what is
 * known: their places are marked with 1 in `seen`.
 */
export function lexemesOf(document: unknown, known?: KnownField, seen = NO_PLACES): Lexemes {
  const found: Found = { lexemes, seen, termCount: 0 }
  lexemes.reset()
  collect(asJson(document), NO_PATH, known, found)
  lexemes.add(HAS_TERMS)
  if (isFull(found)) lexemes.add(IS_CUT)
  return lexemes
}

/** What a document says, beside a vocabulary that has its lexemes at these places. */
export function knownIn(document: unknown, places: ReadonlyMap<string, number>): KnownField {
  const lexemes = new Lexemes(WORDS_MAX, LENGTH_MAX)
  const lexemesAfter = (add: (found: Found) => void): string[] => {
    lexemes.reset()
    add({ lexemes, seen: NO_PLACES, termCount: 0 })
    return lexemes.texts()
  }
  const memory = new TextMemory(places, {
    ofName: (name) => lexemesAfter(() => addText(name, lexemes)),
    ofValue: (value, path) => lexemesAfter((found) => addLeaf(value, path, found)),
  })
  return memory.of(document, NO_PATH)
}

const NO_PLACES = new Uint8Array()
const lexemes = new Lexemes(WORDS_MAX, LENGTH_MAX)

/** Has terms: documents that a version before stored have words alone. */
const HAS_TERMS = '='
/** Has more words or values than it is found by. */
const IS_CUT = '*'
/** Lexemes about the document itself. */
export const MARKS: ReadonlySet<string> = new Set([HAS_TERMS, IS_CUT])
/** With the words that is less than a megabyte, which PostgreSQL keeps. */
const TERMS_MAX = 5000

/** The hash of the path of a whole document; of a field it is that of its key, after the one above it. */
const NO_PATH = 0

interface Found {
  readonly lexemes: Lexemes
  readonly seen: Uint8Array
  /** Terms are hashes: what shares one is told apart by the document itself. */
  termCount: number
}

const isFull = ({ lexemes, termCount }: Found): boolean => lexemes.isFull || termCount >= TERMS_MAX

function collect(value: unknown, path: number, known: KnownField | undefined, found: Found): void {
  if (value === undefined || isFull(found)) return
  if (isScalar(value)) collectLeaf(value, path, known, found)
  else if (Array.isArray(value)) for (const element of value) collectElement(element, path, known, found)
  else collectFields(value as Readonly<Record<string, unknown>>, path, known, found)
}

function collectLeaf(value: Scalar, path: number, known: KnownField | undefined, found: Found): void {
  if (!isKnown(known?.textOf(value), found)) addLeaf(value, path, found)
}

function collectFields(
  fields: Readonly<Record<string, unknown>>,
  path: number,
  known: KnownField | undefined,
  found: Found,
): void {
  const keys = Object.keys(fields)
  for (let place = 0; place < keys.length; place += 1) {
    const key = keys[place] ?? ''
    collectField(key, asJson(fields[key]), path, known?.fieldAt(place, key), found)
  }
}

/** JSON has null for what it can't write in a list. */
function collectElement(element: unknown, path: number, known: KnownField | undefined, found: Found): void {
  collect(asJson(element) ?? null, path, known, found)
}

function collectField(
  key: string,
  field: unknown,
  above: number,
  known: KnownField | undefined,
  found: Found,
): void {
  if (field === undefined) return
  if (!isKnown(known?.name, found)) addText(key, found.lexemes)
  collect(field, known?.path ?? hashOfText(key, above), known, found)
}

function isKnown(text: KnownText | undefined, { lexemes, seen }: Found): boolean {
  if (text === undefined) return false
  for (const place of text.places) seen[place] = 1
  for (const lexeme of text.own) lexemes.addLexeme(lexeme)
  return true
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

/** What a document has to have in which a path is one of the values. Others have it too. */
export function maybeEquals(path: string, values: readonly Scalar[]): Wanted {
  const hash = keysOf(path).reduce((above, key) => hashOfText(key, above), NO_PATH)
  const found = new Map<string, Wanted>([[IS_CUT, IS_CUT]])
  for (const value of values) {
    const text = textOf(value)
    const term = `'${termOf(hashOfText(text, hash))}'`
    found.set(term, term)
    if (isTelling(text)) found.set(text, { all: wordsOf(text).map((word) => `'${word}'`) })
  }
  return { any: [...found.values()] }
}

/** What a document has to have in which a text is found; undefined for one without words. */
export function hasText(text: string): Wanted | undefined {
  const wanted = wantedIn(text)
  if (wanted.length === 0) return undefined
  return {
    all: wanted.map(({ word, runs }) =>
      runs.length === 0 ? begins(word) : { any: [begins(word), { all: runs.map(begins) }] },
    ),
  }
}

/** A word of the document begins with this one, or one that a group of names stands for. */
function begins(word: string): string {
  const inGroups = groupsWith(word).map((lexeme) => `'${lexeme}'`)
  return inGroups.length === 0 ? `'${word}':*` : `('${word}':* | ${inGroups.join(' | ')})`
}

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
