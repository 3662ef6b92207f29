import { Failure } from '@platform/kernel'

/** What stands where a secret was. */
export const REDACTED = 'REDACTED'

/** Shorter secrets are only recognised when they are the whole text: "a" is in everything. */
const MIN_PART = 4

/** Most characters all secrets looked for at once may have together: what recognises them must stay small. */
export const MAX_SECRET_CHARACTERS = 100_000

const ROOT = 0
const UNITS = 65_536

/** Runs without secrets share it: typed arrays are dear to make. */
const UNLINKED = new Int32Array(1)

/**
 * Texts that nothing of a run, or of what a webhook answered, may show. All are looked for at once (Aho and
 * Corasick): a text is read one time, however many secrets there are and however much they are like one another.
 */
export class SecretTexts {
  readonly #texts = new Set<string>()
  /** node × character → node; a node is the beginning of a secret. */
  readonly #next = new Map<number, number>()
  /** By node: characters of the secret that ends there, and how many the node itself has. */
  readonly #ends = [0]
  readonly #depths = [0]
  /** By node: the longest other beginning of a secret that it ends with. */
  #falls = UNLINKED
  /** By node: characters of the longest secret that it ends with. */
  #longest = UNLINKED
  #characters = 0
  #isLinked = true

  /**
   * Throws InvalidArgumentsError when there are more secrets than can be recognised; where it is a whole text it
   * still is.
   */
  add(secret: string): void {
    if (this.#texts.has(secret)) return
    this.#texts.add(secret)
    this.#characters += secret.length
    if (this.#characters > MAX_SECRET_CHARACTERS) throw tooMuch()
    if (secret.length < MIN_PART) return
    let node = ROOT
    for (let at = 0; at < secret.length; at += 1) node = this.#child(node, secret.charCodeAt(at))
    this.#ends[node] = secret.length
    this.#isLinked = false
  }

  /** `value` without the secrets: whole texts and parts of texts. Answers the same value when there are none. */
  mask(value: unknown): unknown {
    if (this.#texts.size === 0) return value
    if (!this.#isLinked) this.#link()
    return this.#masked(value)
  }

  #masked(value: unknown): unknown {
    if (typeof value === 'string') return this.#maskedText(value)
    if (Array.isArray(value)) return value.map((item) => this.#masked(item))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [this.#maskedText(key), this.#masked(item)]),
    )
  }

  #maskedText(text: string): string {
    if (this.#texts.has(text)) return REDACTED
    let clean = ''
    let at = 0
    for (const { start, end } of this.#found(text)) {
      clean += text.slice(at, start) + REDACTED
      at = end
    }
    return at === 0 ? text : clean + text.slice(at)
  }

  /** Where secrets are; those that share characters are one. */
  #found(text: string): Found[] {
    const found: Found[] = []
    let node = ROOT
    for (let at = 0; at < text.length; at += 1) {
      node = this.#step(node, text.charCodeAt(at))
      const length = this.#longest[node] ?? 0
      if (length > 0) join(found, at + 1 - length, at + 1)
    }
    return found
  }

  #step(from: number, unit: number): number {
    for (let node = from; ; node = this.#falls[node] ?? ROOT) {
      const next = this.#next.get(node * UNITS + unit)
      if (next !== undefined) return next
      if (node === ROOT) return ROOT
    }
  }

  #child(node: number, unit: number): number {
    const key = node * UNITS + unit
    const known = this.#next.get(key)
    if (known !== undefined) return known
    const made = this.#ends.length
    this.#next.set(key, made)
    this.#ends.push(0)
    this.#depths.push((this.#depths[node] ?? 0) + 1)
    return made
  }

  /** Nearer the root first: what a node falls back to is always shorter than the node. */
  #link(): void {
    this.#falls = new Int32Array(this.#ends.length)
    this.#longest = new Int32Array(this.#ends.length)
    const edges = [...this.#next].sort(([, a], [, b]) => (this.#depths[a] ?? 0) - (this.#depths[b] ?? 0))
    for (const [key, node] of edges) {
      const parent = Math.floor(key / UNITS)
      const fall = parent === ROOT ? ROOT : this.#step(this.#falls[parent] ?? ROOT, key % UNITS)
      this.#falls[node] = fall
      this.#longest[node] = this.#ends[node] || (this.#longest[fall] ?? 0)
    }
    this.#isLinked = true
  }
}

interface Found {
  start: number
  readonly end: number
}

function join(found: Found[], from: number, end: number): void {
  let start = from
  for (let last = found.at(-1); last !== undefined && last.end > from; last = found.at(-1)) {
    start = Math.min(start, last.start)
    found.pop()
  }
  found.push({ start, end })
}

const tooMuch = () =>
  new Failure(
    'InvalidArgumentsError',
    `The secret arguments of a run have more than ${MAX_SECRET_CHARACTERS} characters: pass less as secrets.`,
    { details: { max: MAX_SECRET_CHARACTERS } },
  )
