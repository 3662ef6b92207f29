import { isRecord } from '@platform/kernel'
import type { Problem } from '@platform/source-texts'

/** Schemas one value may have to fit, those behind `$ref` and in alternatives counted as often as they are used. */
const MAX_SCHEMAS = 10_000

/** And as many behind one another. */
const MAX_CHAIN = 500

const lists = ['allOf', 'anyOf', 'oneOf'] as const
const singles = ['not', 'if', 'then', 'else'] as const

/** Schemas that share `$ref`s double with every level: refused before anybody has to be held against them. */
export function* checkSchemaGrowth({ arguments: written, schemas }: Definition): Generator<Problem> {
  // References begin at the schema of all arguments together.
  if (growsTooMuch({ properties: written })) yield { path: ['arguments'], message: tooMuch }
  if (!Array.isArray(schemas)) return
  for (const [index, branch] of schemas.entries()) {
    const payload: unknown = isRecord(branch) ? branch.payload : undefined
    if (growsTooMuch(payload) || growsTooMuch({ properties: payload }))
      yield { path: ['schemas', index, 'payload'], message: tooMuch }
  }
}

interface Definition {
  readonly arguments?: unknown
  readonly schemas?: unknown
}

const growsTooMuch = (root: unknown): boolean => new Growth(root).isTooMuch()

const tooMuch =
  `must not hold one value against more than ${MAX_SCHEMAS} schemas: ` +
  'use fewer $refs and alternatives in one another, and no $ref that leads back to itself'

class Growth {
  readonly #root: unknown
  readonly #known = new Map<object, number>()

  constructor(root: unknown) {
    this.#root = root
  }

  isTooMuch(): boolean {
    return this.#schemasIn(this.#root).some((schema) => this.#count(schema) > MAX_SCHEMAS)
  }

  /** Every object may be a schema: where it is none, nothing in it counts. */
  #schemasIn(value: unknown): object[] {
    if (typeof value !== 'object' || value === null) return []
    return [value, ...Object.values(value).flatMap((item) => this.#schemasIn(item))]
  }

  /** Schemas a value is held against when it is held against this one; one that leads back to itself has no end. */
  #count(schema: unknown, chain = 0): number {
    if (!isRecord(schema)) return 1
    if (chain > MAX_CHAIN) return Number.POSITIVE_INFINITY
    const known = this.#known.get(schema)
    if (known !== undefined) return known
    this.#known.set(schema, Number.POSITIVE_INFINITY)
    const count = this.#inPlace(schema).reduce<number>((sum, inner) => sum + this.#count(inner, chain + 1), 1)
    this.#known.set(schema, count)
    return count
  }

  #inPlace(schema: Readonly<Record<string, unknown>>): unknown[] {
    const dependent = isRecord(schema.dependentSchemas) ? Object.values(schema.dependentSchemas) : []
    return [
      ...lists.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : [])),
      ...singles.flatMap((keyword) => (schema[keyword] === undefined ? [] : [schema[keyword]])),
      ...(typeof schema.$ref === 'string' ? [this.#target(schema.$ref)] : []),
      ...dependent,
    ]
  }

  #target(reference: string): unknown {
    return reference
      .replace(/^#\/?/, '')
      .split('/')
      .filter((key) => key !== '')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>(
        (value, key) =>
          typeof value === 'object' && value !== null && Object.hasOwn(value, key)
            ? Reflect.get(value, key)
            : undefined,
        this.#root,
      )
  }
}
