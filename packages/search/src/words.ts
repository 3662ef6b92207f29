import { sliceText } from '@platform/kernel'

/** Words of a document that are stored for finding it; a document with more is found by the first. */
const WORDS_MAX = 5000
const WORD_MAX_LENGTH = 100
/** UTF-16 units of all words together; PostgreSQL keeps a megabyte of them. */
const LENGTH_MAX = 250_000

/** The words of a text: runs of letters, marks and digits, in lower case, NFC. Never half of a surrogate pair. */
export const wordsOf = (text: string): string[] =>
  (
    text
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
  ).map(cut)

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
  const found: Found = { words: new Set(), length: 0 }
  collect(document, found)
  return [...found.words]
}

interface Found {
  words: Set<string>
  length: number
}

const isFull = ({ words, length }: Found): boolean => words.size >= WORDS_MAX || length >= LENGTH_MAX

function collect(value: unknown, found: Found): void {
  if (isFull(found) || value === null || value === undefined) return
  if (typeof value === 'string') addWords(value, found)
  else if (typeof value !== 'object') addWords(String(value), found)
  else if (Array.isArray(value)) for (const element of value) collect(element, found)
  else for (const key of Object.keys(value)) collectField(key, (value as Record<string, unknown>)[key], found)
}

function collectField(key: string, field: unknown, found: Found): void {
  if (field === undefined) return
  for (const word of wordsOfKey(key)) {
    if (isFull(found)) return
    add(word, found)
  }
  collect(field, found)
}

/** Keys come again and again, so their words are remembered; not those of long ones, and of so many at most. */
const KEYS_MAX = 2000
const KEY_MAX_LENGTH = 50
const knownKeys = new Map<string, readonly string[]>()

function wordsOfKey(key: string): readonly string[] {
  const known = knownKeys.get(key)
  if (known !== undefined) return known
  const words = wordsOf(key)
  if (key.length > KEY_MAX_LENGTH) return words
  if (knownKeys.size >= KEYS_MAX) knownKeys.clear()
  knownKeys.set(key, words)
  return words
}

const ascii = /^[\0-\x7f]*$/
/** Which ASCII characters are in words, by their codes. */
const isInWord = Uint8Array.from({ length: 128 }, (_, code) =>
  /[a-z0-9]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/**
 * The same words as `wordsOf`. Nearly all texts are ASCII, and every event is looked through: their words are cut out
 * without a pattern, which would make lists and copies of each text.
 */
function addWords(text: string, found: Found): void {
  if (!ascii.test(text)) {
    addAnyWords(text, found)
    return
  }
  const lower = text.toLowerCase()
  for (let start = 0; start < lower.length && !isFull(found); ) {
    let end = start
    while (end < lower.length && isInWord[lower.charCodeAt(end)] === 1) end += 1
    if (end > start) add(lower.slice(start, Math.min(end, start + WORD_MAX_LENGTH)), found)
    start = end + 1
  }
}

function addAnyWords(text: string, found: Found): void {
  for (const word of wordsOf(text)) {
    if (isFull(found)) return
    add(word, found)
  }
}

function add(word: string, found: Found): void {
  if (found.words.has(word)) return
  found.words.add(word)
  found.length += word.length
}

const cut = (word: string): string => sliceText(word, 0, WORD_MAX_LENGTH)
