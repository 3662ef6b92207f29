import { wordsOf } from '../words.ts'

/** Names of fields that come together in nearly every event. A lexeme stands for the words of all of them. */
interface NameGroup {
  readonly lexeme: string
  /** Its own in a number of 32 bits. */
  readonly bit: number
  readonly names: readonly string[]
  readonly words: readonly string[]
}

/**
 * Ordered so that what has more comes before what has a part of it, with the name first that the fewest objects have.
 * Documents are found by these for as long as they are kept: a group keeps its number and its names for ever, and new
 * ones take new numbers.
 */
const groups: readonly NameGroup[] = [
  group(1, ['createdAt', 'source', 'payload', 'id', 'type', 'size']),
  group(2, ['correlationId', 'workspaceId', 'host', 'automationSlug', 'automationDepth']),
  group(3, ['correlationId', 'workspaceId', 'host']),
  group(4, ['sessionId', 'userId']),
  group(5, ['startedAt', 'trigger', 'duration', 'slug', 'break']),
  group(6, ['pathParams', 'query', 'headers', 'method', 'body']),
  group(7, ['content-length', 'content-type', 'x-correlation-id']),
  group(8, ['accept-encoding', 'accept', 'user-agent']),
  group(9, ['sec-fetch-mode', 'accept-language']),
]

/** The groups by the name with which they are looked for. */
const byFirst: ReadonlyMap<string | undefined, readonly NameGroup[]> = Map.groupBy(
  groups,
  ({ names: [first] }) => first,
)

/** The groups that have a name, as the bits of a number. */
const bitsOf = new Map<string, number>()
for (const { bit, names } of groups) for (const name of names) bitsOf.set(name, (bitsOf.get(name) ?? 0) | bit)

/** No word and no term of a value begins like this. */
function group(number: number, names: readonly string[]): NameGroup {
  return { lexeme: `~${number.toString(36)}`, bit: 1 << number, names, words: names.flatMap(wordsOf) }
}

/** The lexemes of the groups that have a word beginning with `prefix`. */
export const groupsWith = (prefix: string): string[] =>
  groups.filter(({ words }) => words.some((word) => word.startsWith(prefix))).map(({ lexeme }) => lexeme)

/** The groups that a document has, and with them the names of its fields that are found by a group. */
export class FoundGroups {
  #bits = 0

  get lexemes(): string[] {
    return groups.filter(({ bit }) => (this.#bits & bit) !== 0).map(({ lexeme }) => lexeme)
  }

  has(name: string): boolean {
    return ((bitsOf.get(name) ?? 0) & this.#bits) !== 0
  }

  /** Finds the groups of which an object has all names; `keys` are its own. */
  addOf(fields: Readonly<Record<string, unknown>>, keys: readonly string[]): void {
    for (const key of keys) {
      const begun = byFirst.get(key)
      if (begun === undefined) continue
      for (const one of begun)
        if (hasAll(fields, one) && !one.names.every((name) => this.has(name))) this.#bits |= one.bit
    }
  }
}

const hasAll = (fields: Readonly<Record<string, unknown>>, { names }: NameGroup): boolean =>
  names.every((name) => fields[name] !== undefined)
