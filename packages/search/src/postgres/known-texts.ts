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

/**
 * A field of documents of one kind, or a whole document. What its name and values say need not be taken apart in each
 * document again.
 */
export class KnownField {
  readonly key: string
  /** The hash of its path. */
  readonly path: number
  readonly name: KnownText | undefined
  readonly #fields = new Map<string, KnownField>()
  /** The same, in the order in which a document has them. */
  readonly #inOrder: KnownField[] = []
  readonly #values = new Map<Scalar, KnownText>()
  /** The first of the values, which most often is the only one. */
  #first: Scalar | undefined
  #textOfFirst: KnownText | undefined

  constructor(key: string, path: number, name?: KnownText) {
    this.key = key
    this.path = path
    this.name = name
  }

  get fields(): ReadonlyMap<string, KnownField> {
    return this.#fields
  }

  /** The field within it that a document has at this place; documents of a kind have them in the same order. */
  fieldAt(place: number, key: string): KnownField | undefined {
    const there = this.#inOrder[place]
    return there?.key === key ? there : this.#fields.get(key)
  }

  /** Comparing with one value takes less than finding out where in a map another one would be. */
  textOf(value: Scalar): KnownText | undefined {
    if (value === this.#first) return this.#textOfFirst
    return this.#values.size > 1 ? this.#values.get(value) : undefined
  }

  addField(field: KnownField): void {
    this.#fields.set(field.key, field)
    this.#inOrder.push(field)
  }

  addValue(value: Scalar, text: KnownText): void {
    if (this.#values.size === 0) {
      this.#first = value
      this.#textOfFirst = text
    }
    this.#values.set(value, text)
  }
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
    const root = new KnownField('', path)
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

  #addValue(value: Scalar, field: KnownField): void {
    if (field.textOf(value) !== undefined || String(value).length > LENGTH_MAX) return
    const known = this.#known(this.#lexemes.ofValue(value, field.path))
    if (known !== undefined) field.addValue(value, known)
  }

  /** Undefined where there are enough. */
  #field(name: string, above: KnownField): KnownField | undefined {
    const there = above.fields.get(name)
    if (there !== undefined || this.#count >= KNOWN_MAX) return there
    const text = this.#known(this.#lexemes.ofName(name))
    const path = hashOfText(name, above.path)
    const field = new KnownField(name, path, text)
    above.addField(field)
    return field
  }

  #known(lexemes: readonly string[]): KnownText | undefined {
    this.#count += 1
    const own = lexemes.filter((lexeme) => !this.#places.has(lexeme))
    if (!own.every(isAscii)) return undefined
    return { places: lexemes.flatMap((lexeme) => this.#places.get(lexeme) ?? []), own: own.map(asLexeme) }
  }
}
