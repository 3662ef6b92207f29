import { hashOfText } from '@platform/kernel'
import { asJson, isScalar, type Scalar } from '../filter.ts'
import { asLexeme, isAscii, type Lexeme } from './lexemes.ts'

/** Fields and values that are remembered of a kind of documents, and characters of one. */
const KNOWN_MAX = 300
const LENGTH_MAX = 1000

/** The lexemes of a text: places in a vocabulary, and those that the vocabulary doesn't have. */
export interface KnownText {
  readonly places: readonly number[]
  readonly own: readonly Lexeme[]
}

/** A field of documents of one kind. What its name and values say need not be taken apart in each document again. */
export interface KnownField {
  /** The hash of its path. */
  readonly path: number
  readonly name: KnownText | undefined
  readonly values: Map<Scalar, KnownText>
  readonly fields: Map<string, KnownField>
}

/** The lexemes of a name, and of a value at the path with this hash. */
export interface LexemesOfTexts {
  readonly ofName: (name: string) => string[]
  readonly ofValue: (value: Scalar, path: number) => string[]
}

/** Remembers what a document says, beside a vocabulary that has lexemes at these places. */
export class TextMemory {
  readonly #places: ReadonlyMap<string, number>
  readonly #lexemes: LexemesOfTexts
  #count = 0

  constructor(places: ReadonlyMap<string, number>, lexemes: LexemesOfTexts) {
    this.#places = places
    this.#lexemes = lexemes
  }

  /** Remembers a document. */
  of(document: unknown, path: number): KnownField {
    const root: KnownField = { path, name: undefined, values: new Map(), fields: new Map() }
    this.#add(document, root)
    return root
  }

  #add(value: unknown, field: KnownField | undefined): void {
    if (value === undefined || field === undefined || this.#count >= KNOWN_MAX) return
    if (isScalar(value)) this.#addValue(value, field)
    else if (Array.isArray(value)) for (const element of value) this.#add(asJson(element) ?? null, field)
    else
      for (const [name, inner] of Object.entries(value as object))
        this.#add(asJson(inner), this.#field(name, field))
  }

  #addValue(value: Scalar, { path, values }: KnownField): void {
    if (values.has(value) || String(value).length > LENGTH_MAX) return
    const known = this.#known(this.#lexemes.ofValue(value, path))
    if (known !== undefined) values.set(value, known)
  }

  /** Undefined where there are enough. */
  #field(name: string, above: KnownField): KnownField | undefined {
    const there = above.fields.get(name)
    if (there !== undefined || this.#count >= KNOWN_MAX) return there
    const text = this.#known(this.#lexemes.ofName(name))
    const path = hashOfText(name, above.path)
    const field: KnownField = { path, name: text, values: new Map(), fields: new Map() }
    above.fields.set(name, field)
    return field
  }

  #known(lexemes: readonly string[]): KnownText | undefined {
    this.#count += 1
    const own = lexemes.filter((lexeme) => !this.#places.has(lexeme))
    if (!own.every(isAscii)) return undefined
    return { places: lexemes.flatMap((lexeme) => this.#places.get(lexeme) ?? []), own: own.map(asLexeme) }
  }
}
