import { isScalar, type Scalar, textOf } from './filter.ts'
import { hasPrefix, wordsIn } from './words.ts'

/** The values at one path of a document. */
interface Values {
  readonly all: readonly unknown[]
  readonly scalars: readonly Scalar[]
  /** Text forms of the scalars, made when they are asked for. */
  texts?: readonly string[]
  textSet?: ReadonlySet<string>
}

/** A document that many filters are asked about: what one of them has looked up, the others find. */
export class AskedDocument {
  readonly #document: unknown
  readonly #values = new Map<string, Values>()
  readonly #likes = new Map<string, boolean>()
  #words: readonly string[] | undefined

  constructor(document: unknown) {
    this.#document = document
  }

  /** True where a path has no value but null. */
  isMissing(path: string, keys: readonly string[]): boolean {
    return this.#valuesAt(path, keys).all.every((value) => value === null)
  }

  scalarsAt(path: string, keys: readonly string[]): readonly Scalar[] {
    return this.#valuesAt(path, keys).scalars
  }

  /** The text forms of the scalars at a path. */
  textsAt(path: string, keys: readonly string[]): ReadonlySet<string> {
    const values = this.#valuesAt(path, keys)
    values.textSet ??= new Set(textsOf(values))
    return values.textSet
  }

  /** Whether one of the texts at a path is as `isLike` says; asked once for each `name` of a pattern at a path. */
  isLikeAt(path: string, keys: readonly string[], name: string, isLike: (text: string) => boolean): boolean {
    const known = this.#likes.get(name)
    if (known !== undefined) return known
    const found = textsOf(this.#valuesAt(path, keys)).some(isLike)
    this.#likes.set(name, found)
    return found
  }

  /** True when a word of the document begins with `prefix`. */
  hasWord(prefix: string): boolean {
    this.#words ??= wordsIn(this.#document).sort()
    return hasPrefix(this.#words, prefix)
  }

  #valuesAt(path: string, keys: readonly string[]): Values {
    const known = this.#values.get(path)
    if (known !== undefined) return known
    const all = valuesAt(this.#document, keys)
    const values = { all, scalars: all.filter(isScalar) }
    this.#values.set(path, values)
    return values
  }
}

function textsOf(values: Values): readonly string[] {
  values.texts ??= values.scalars.map(textOf)
  return values.texts
}

/** The values at a path. A list stands for its elements, at the end as well as on the way, but not lists inside it. */
function valuesAt(document: unknown, keys: readonly string[]): unknown[] {
  let values: unknown[] = elementsOf(document)
  for (const key of keys) {
    const next: unknown[] = []
    for (const value of values)
      if (hasKey(value, key)) for (const one of elementsOf(value[key])) next.push(one)
    values = next
  }
  return values
}

const elementsOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value])

const hasKey = (value: unknown, key: string): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.hasOwn(value, key) &&
  keptByJson(value, key)

/** JSON drops keys without a value. */
const keptByJson = (value: object, key: string): boolean =>
  (value as Record<string, unknown>)[key] !== undefined
