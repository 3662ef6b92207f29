import { sliceText } from '@platform/kernel'
import { asJson } from './filter.ts'

/** Words of a document that are stored for finding it; a document with more is found by the first. */
export const WORDS_MAX = 5000
const WORD_MAX_LENGTH = 100
/** UTF-16 units of all words together; PostgreSQL keeps a megabyte of them. */
export const LENGTH_MAX = 250_000

const IN_WORD = '[\\p{L}\\p{M}\\p{N}]'
const WORD = `${IN_WORD}+`
const HEX = '[0-9a-f]'
/** Eight, four, four, four and twelve hexadecimal digits (RFC 9562), not followed by more of a word. */
const UUID = `${HEX}{8}-(?:${HEX}{4}-){3}${HEX}{12}(?!${IN_WORD})`
const words = new RegExp(`${UUID}|${WORD}`, 'gu')

/**
 * The words of a text: runs of letters, marks and digits, in lower case, NFC; a UUID is one word. Never half of a
 * surrogate pair.
 */
export const wordsOf = (text: string): string[] => matchesOf(text, words)

const matchesOf = (text: string, pattern: RegExp): string[] =>
  (text.normalize('NFC').toLowerCase().match(pattern) ?? []).map(cut)

/** A UUID, or what somebody has typed of one: more than its first eight digits. */
const UUID_BEGUN = `${HEX}{8}-(?:(?:${HEX}{4}-){3}${HEX}{1,12}|(?:${HEX}{4}-){0,2}${HEX}{1,4})(?!${IN_WORD})`
const wantedWords = new RegExp(`${UUID_BEGUN}|${WORD}`, 'gu')
const runs = new RegExp(WORD, 'gu')

/** A word that a text filter asks for, as the beginning of one in a document. */
export interface WantedWord {
  readonly word: string
  /**
   * The same in its runs of letters and digits, where it may be of a UUID and isn't one run itself: documents may have
   * these as words of their own.
   */
  readonly runs: readonly string[]
}

/** What a document has to have for a text to be found in it: each of these. */
export const wantedIn = (text: string): WantedWord[] =>
  matchesOf(text, wantedWords).map((word) => ({
    word,
    runs: word.includes('-') ? matchesOf(word, runs) : [],
  }))

/** True when a word of `words`, which are sorted, begins with `prefix`. */
export function hasPrefix(words: readonly string[], prefix: string): boolean {
  // If any word begins with it, the first one does that does not come before it.
  let low = 0
  let high = words.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((words[middle] ?? '') < prefix) low = middle + 1
    else high = middle
  }
  return words[low]?.startsWith(prefix) === true
}

/** The different words of a document: those of its keys and of its leaves, as far as JSON shows them. */
export function wordsIn(document: unknown): string[] {
  const found = new FoundWords()
  collect(asJson(document), found)
  return found.words
}

function collect(value: unknown, found: FoundWords): void {
  if (found.isFull || value === null || value === undefined) return
  if (typeof value !== 'object') addText(String(value), found)
  else if (Array.isArray(value)) for (const element of value) collect(asJson(element), found)
  else
    for (const key of Object.keys(value))
      collectField(key, asJson((value as Record<string, unknown>)[key]), found)
}

function collectField(key: string, field: unknown, found: FoundWords): void {
  if (field === undefined) return
  addText(key, found)
  collect(field, found)
}

/** What an ASCII character is in a word; 0 for one that is in none. */
const SMALL = 1
const CAPITAL = 2
const DIGIT = 4
const classes = Uint8Array.from({ length: 128 }, (_, code) => classOf(String.fromCharCode(code)))

function classOf(character: string): number {
  if (/[a-z]/.test(character)) return SMALL
  if (/[A-Z]/.test(character)) return CAPITAL
  return /[0-9]/.test(character) ? DIGIT : 0
}

/** More than any of the above: not ASCII. */
const BEYOND = 8
const HYPHEN = 45
const UUID_FIRST = 8
const UUID_LENGTH = 36
const uuidHere = new RegExp(UUID, 'uyi')

const KIND_BITS = 4
const KINDS = 15

/**
 * Where the word ends that begins at `start`, or `start` where none does, and which kinds of characters it has, in the
 * last four bits; `BEYOND` alone where a character is not ASCII.
 */
function wordAt(text: string, start: number): number {
  let end = start
  let kinds = 0
  for (; end < text.length; end += 1) {
    const code = text.charCodeAt(end)
    if (code >= classes.length) return BEYOND
    const kind = classes[code] ?? 0
    if (kind === 0) break
    kinds |= kind
  }
  const isUuid = end - start === UUID_FIRST && text.charCodeAt(end) === HYPHEN && isUuidAt(text, start)
  return isUuid ? ((start + UUID_LENGTH) << KIND_BITS) | DIGIT | CAPITAL : (end << KIND_BITS) | kinds
}

function isUuidAt(text: string, start: number): boolean {
  uuidHere.lastIndex = start
  return uuidHere.test(text)
}

/** Where the words of a text go. What is full takes no more. */
export interface WordSink {
  readonly isFull: boolean
  /** A part of a text that is ASCII, in lower case but for capitals. */
  addAscii(text: string, start: number, end: number, hasCapital: boolean): void
  /** A word in lower case. */
  addWord(word: string): void
}

/**
 * Adds the words of a text, as `wordsOf` has them; true where they tell it from nearly all other texts. Nearly all
 * texts are ASCII, and every event is looked through: their words are cut out without a pattern, which would make lists
 * and copies of each text.
 */
export function addText(text: string, into: WordSink): boolean {
  let count = 0
  let isTelling = false
  for (let start = 0; start < text.length && !into.isFull; ) {
    const found = wordAt(text, start)
    const end = found >>> KIND_BITS
    const kinds = found & KINDS
    if (kinds === BEYOND) return addWords(wordsOf(text), into)
    if (end > start) {
      into.addAscii(text, start, Math.min(end, start + WORD_MAX_LENGTH), (kinds & CAPITAL) !== 0)
      count += 1
      isTelling ||= isTellingLength(end - start, (kinds & DIGIT) !== 0)
    }
    start = end + 1
  }
  return isTelling || count >= TELLING_COUNT
}

function addWords(words: readonly string[], into: WordSink): boolean {
  for (const word of words) into.addWord(word)
  return (
    words.length >= TELLING_COUNT || words.some((word) => isTellingLength(word.length, /[0-9]/.test(word)))
  )
}

/** The different words of a document, in the order they were found, as many as a store takes. */
class FoundWords implements WordSink {
  readonly #words = new Set<string>()
  #length = 0

  get isFull(): boolean {
    return this.#words.size >= WORDS_MAX || this.#length >= LENGTH_MAX
  }

  get words(): string[] {
    return [...this.#words]
  }

  addAscii(text: string, start: number, end: number, hasCapital: boolean): void {
    const word = text.slice(start, end)
    this.addWord(hasCapital ? word.toLowerCase() : word)
  }

  addWord(word: string): void {
    if (this.isFull || this.#words.has(word)) return
    this.#words.add(word)
    this.#length += word.length
  }
}

/** As many words as these are hardly in another text too; so are long ones, and less long ones that have a digit. */
const TELLING_COUNT = 4
const TELLING_LENGTH = 16
const TELLING_LENGTH_WITH_DIGIT = 8

const isTellingLength = (length: number, hasDigit: boolean): boolean =>
  length >= TELLING_LENGTH || (hasDigit && length >= TELLING_LENGTH_WITH_DIGIT)

/** True for ids, tokens, times and sentences: their words tell them from nearly all other texts. */
export const isTelling = (text: string): boolean => addText(text, new FoundWords())

const cut = (word: string): string => sliceText(word, 0, WORD_MAX_LENGTH)
