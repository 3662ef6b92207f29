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
  if (typeof value !== 'object') addWords(String(value), found)
  else if (Array.isArray(value)) for (const element of value) collect(element, found)
  else for (const [key, field] of Object.entries(value)) collectField(key, field, found)
}

function collectField(key: string, field: unknown, found: Found): void {
  if (field === undefined) return
  collect(key, found)
  collect(field, found)
}

function addWords(text: string, found: Found): void {
  for (const word of wordsOf(text)) {
    if (isFull(found)) return
    if (found.words.has(word)) continue
    found.words.add(word)
    found.length += word.length
  }
}

function cut(word: string): string {
  if (word.length <= WORD_MAX_LENGTH) return word
  const start = word.slice(0, WORD_MAX_LENGTH)
  return start.isWellFormed() ? start : start.slice(0, -1)
}
