import { hashOfText } from '@platform/kernel'
import type { WordSink } from '../words.ts'

/** Before the lexemes stands how many there are. */
const COUNT_BYTES = 4
/** Behind a lexeme stand a zero and the number of its positions, which has two bytes. */
const END_BYTES = 3
/** UTF-8 has so many bytes for a UTF-16 unit at most. */
const UNIT_BYTES = 3
const KEPT_BYTES = 64 * 1024
const BIG_A = 65
const BIG_Z = 90
const TO_SMALL = 32

/** More than one and a half times as many as a vector has lexemes; a power of two. */
const SLOTS = 16_384
/** In a slot whose lexeme the vector is not to have. */
const LEFT_OUT = -1
/** Where somebody has chosen words that all belong into one slot, the others are looked up elsewhere. */
const PROBES_MAX = 64
/** Instead of a slot: all of these are others'. */
const CROWDED = -1

/**
 * The different lexemes of a `tsvector`, without positions, in the binary form that PostgreSQL reads (`tsvectorrecv`).
 * Every event that is kept is written so, hence this makes no texts and lists that would have to be collected: each
 * lexeme is written behind the others, and taken back where it is there already.
 */
export class Lexemes implements WordSink {
  readonly #wordsMax: number
  readonly #lengthMax: number
  #bytes = Buffer.allocUnsafe(KEPT_BYTES)
  #end = COUNT_BYTES
  #count = 0
  #wordCount = 0
  #wordLength = 0
  /** Where lexemes begin, by their hash; 0 where none does. */
  readonly #slots = new Int32Array(SLOTS)
  readonly #usedSlots = new Int32Array(SLOTS)
  readonly #usedHashes = new Int32Array(SLOTS)
  #usedCount = 0
  readonly #crowded = new Set<string>()

  /** Takes so many words, and UTF-16 units of all of them together. */
  constructor(wordsMax: number, lengthMax: number) {
    this.#wordsMax = wordsMax
    this.#lengthMax = lengthMax
  }

  get isFull(): boolean {
    return this.#wordCount >= this.#wordsMax || this.#wordLength >= this.#lengthMax
  }

  addAscii(text: string, start: number, end: number, hasCapital: boolean): void {
    if (this.isFull) return
    const length = end - start
    this.#reserve(length)
    const bytes = this.#bytes
    let at = this.#end
    let hash = FIRST_HASH
    for (let index = start; index < end; index += 1) {
      const code = text.charCodeAt(index)
      const byte = hasCapital && code >= BIG_A && code <= BIG_Z ? code + TO_SMALL : code
      bytes[at++] = byte
      hash = Math.imul(hash ^ byte, HASH_PRIME)
    }
    this.#countWord(this.#keep(at, hash), length)
  }

  addWord(word: string): void {
    if (!this.isFull) this.#countWord(this.add(word), word.length)
  }

  /** Adds a lexeme that is no word; false where it is there already. */
  add(lexeme: string): boolean {
    this.#reserve(lexeme.length)
    return this.#keep(this.#end + this.#bytes.write(lexeme, this.#end), hashOfText(lexeme))
  }

  addLexeme({ bytes, hash }: Lexeme): void {
    if (this.isFull) return
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#end)
    this.#countWord(this.#keep(this.#end + bytes.length, hash), bytes.length)
  }

  has(lexeme: Lexeme): boolean {
    return this.#slotOf(lexeme) !== undefined
  }

  /** Each of them; ADR 0087 tells what they look like. */
  texts(): string[] {
    return this.#bytes.toString('utf8', COUNT_BYTES, this.#end).split('\0\0\0').slice(0, -1)
  }

  /** The vector of all that was added. */
  toVector(): Buffer {
    this.#bytes.writeInt32BE(this.#count)
    return Buffer.from(this.#bytes.subarray(0, this.#end))
  }

  /**
   * The vector of all but some; undefined where it doesn't have all of these. Those that it has are marked with 1 in
   * `seen`; of those that are marked before it need not have any. Nothing may be added after it.
   */
  toVectorWithout(others: LexemeSet, seen: Uint8Array): Buffer | undefined {
    // What isn't in a slot would have to be looked for.
    if (this.#crowded.size > 0) return undefined
    let leftOut = 0
    for (let index = 0; index < this.#usedCount; index += 1) {
      const slot = this.#usedSlots[index] ?? 0
      const place = others.placeOf(this.#bytes, this.#slots[slot] ?? 0, this.#usedHashes[index] ?? 0)
      if (place === undefined) continue
      seen[place] = 1
      this.#slots[slot] = LEFT_OUT
      leftOut += 1
    }
    for (let place = 0; place < others.size; place += 1) if (seen[place] !== 1) return undefined
    return this.#toVectorOfSlots(this.#count - leftOut)
  }

  #toVectorOfSlots(count: number): Buffer {
    const bytes = this.#bytes
    const vector = Buffer.allocUnsafe(this.#end)
    let end = vector.writeInt32BE(count)
    for (let index = 0; index < this.#usedCount; index += 1) {
      let at = this.#slots[this.#usedSlots[index] ?? 0] ?? LEFT_OUT
      if (at === LEFT_OUT) continue
      for (; bytes[at] !== 0; at += 1) vector[end++] = bytes[at] ?? 0
      for (let zeros = 0; zeros < END_BYTES; zeros += 1) vector[end++] = 0
    }
    return vector.subarray(0, end)
  }

  /** Forgets all, for another vector. */
  reset(): void {
    if (this.#bytes.length > KEPT_BYTES) this.#bytes = Buffer.allocUnsafe(KEPT_BYTES)
    this.#end = COUNT_BYTES
    this.#count = 0
    this.#wordCount = 0
    this.#wordLength = 0
    for (let index = 0; index < this.#usedCount; index += 1) this.#slots[this.#usedSlots[index] ?? 0] = 0
    this.#usedCount = 0
    this.#crowded.clear()
  }

  #countWord(isNew: boolean, length: number): void {
    if (!isNew) return
    this.#wordCount += 1
    this.#wordLength += length
  }

  #reserve(units: number): void {
    const needed = this.#end + units * UNIT_BYTES + END_BYTES
    if (needed <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(needed * 2)
    this.#bytes.copy(larger, 0, 0, this.#end)
    this.#bytes = larger
  }

  /** Keeps the lexeme that was written up to `end`, unless it is there already. */
  #keep(end: number, hash: number): boolean {
    if (!this.#isNew(end, hash)) return false
    // Three zeros; filling takes longer.
    const bytes = this.#bytes
    bytes[end] = 0
    bytes[end + 1] = 0
    bytes[end + 2] = 0
    this.#end = end + END_BYTES
    this.#count += 1
    return true
  }

  #slotOf({ bytes, hash }: Lexeme): number | undefined {
    const slot = this.#probe(bytes, 0, bytes.length, hash)
    return slot === CROWDED || this.#slots[slot] === 0 ? undefined : slot
  }

  #isNew(end: number, hash: number): boolean {
    const slot = this.#probe(this.#bytes, this.#end, end, hash)
    if (slot !== CROWDED) {
      if (this.#slots[slot] !== 0) return false
      this.#slots[slot] = this.#end
      this.#usedHashes[this.#usedCount] = hash
      this.#usedSlots[this.#usedCount++] = slot
      return true
    }
    const lexeme = this.#bytes.toString('latin1', this.#end, end)
    if (this.#crowded.has(lexeme)) return false
    this.#crowded.add(lexeme)
    return true
  }

  /** The slot of the lexeme that stands in `source` from `from` to `to`, or the free one that would be its. */
  #probe(source: Uint8Array, from: number, to: number, hash: number): number {
    let slot = (hash ^ (hash >>> 16)) & (SLOTS - 1)
    for (let probes = 0; probes < PROBES_MAX; probes += 1) {
      const begin = this.#slots[slot] ?? 0
      if (begin === 0 || this.#isAt(begin, source, from, to)) return slot
      slot = (slot + 1) & (SLOTS - 1)
    }
    return CROWDED
  }

  /** No lexeme has a zero in it. */
  #isAt(begin: number, source: Uint8Array, from: number, to: number): boolean {
    const bytes = this.#bytes
    let at = begin
    for (let index = from; index < to; index += 1) if (bytes[at++] !== source[index]) return false
    return bytes[at] === 0
  }
}

/** A lexeme to look for, of ASCII characters. */
export interface Lexeme {
  readonly bytes: Uint8Array
  readonly hash: number
}

/** Different lexemes, each found by what it is; of two that share a hash only the first is in it. */
export class LexemeSet {
  readonly all: readonly Lexeme[]
  readonly #places = new Map<number, number>()

  constructor(lexemes: readonly Lexeme[]) {
    this.all = lexemes.filter(({ hash }) => {
      const isNew = !this.#places.has(hash)
      if (isNew) this.#places.set(hash, this.#places.size)
      return isNew
    })
  }

  get size(): number {
    return this.all.length
  }

  /** The place of the lexeme that stands in `source` from a byte on, up to a zero; undefined for any other. */
  placeOf(source: Uint8Array, from: number, hash: number): number | undefined {
    const place = this.#places.get(hash)
    const bytes = place === undefined ? undefined : this.all[place]?.bytes
    if (bytes === undefined || source[from + bytes.length] !== 0) return undefined
    for (let index = 0; index < bytes.length; index += 1)
      if (bytes[index] !== source[from + index]) return undefined
    return place
  }
}

export const isAscii = (text: string): boolean => /^[!-~]*$/.test(text)

export const asLexeme = (text: string): Lexeme => ({
  bytes: Buffer.from(text, 'latin1'),
  hash: hashOfText(text),
})

/** As `toVector`, of different ones. */
export function vectorOfLexemes(lexemes: readonly Lexeme[]): Buffer {
  const count = Buffer.alloc(COUNT_BYTES)
  count.writeInt32BE(lexemes.length)
  const end = Buffer.alloc(END_BYTES)
  return Buffer.concat([count, ...lexemes.flatMap(({ bytes }) => [bytes, end])])
}

/** While a text is written, so that it is gone through once, what `hashOfText` makes of it (FNV-1a). */
const FIRST_HASH = 0x811c9dc5
const HASH_PRIME = 0x01000193
