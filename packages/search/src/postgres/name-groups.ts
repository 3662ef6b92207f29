import { wordsOf } from '../words.ts'

/** Names of fields that come together in nearly every event. A lexeme stands for the words of all of them. */
interface NameGroup {
  readonly lexeme: string
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

const byFirst: ReadonlyMap<string | undefined, readonly NameGroup[]> = Map.groupBy(
  groups,
  ({ names: [first] }) => first,
)

/** No word and no term of a value begins like this. */
function group(number: number, names: readonly string[]): NameGroup {
  return { lexeme: `~${number.toString(36)}`, names, words: names.flatMap(wordsOf) }
}

/** The lexemes of the groups that have a word beginning with `prefix`. */
export const groupsWith = (prefix: string): string[] =>
  groups.filter(({ words }) => words.some((word) => word.startsWith(prefix))).map(({ lexeme }) => lexeme)

/** The names of a document's fields that are found by a group, and the lexemes of these groups. */
export class GroupedNames {
  readonly lexemes: string[] = []
  readonly #names = new Set<string>()

  has(name: string): boolean {
    return this.#names.has(name)
  }

  /** Finds the groups of which an object has all names; `keys` are its own. */
  addOf(fields: Readonly<Record<string, unknown>>, keys: readonly string[]): void {
    for (const key of keys) {
      const begun = byFirst.get(key)
      if (begun === undefined) continue
      for (const one of begun)
        if (hasAll(fields, one) && !one.names.every((name) => this.has(name))) this.#add(one)
    }
  }

  #add({ lexeme, names }: NameGroup): void {
    this.lexemes.push(lexeme)
    for (const name of names) this.#names.add(name)
  }
}

const hasAll = (fields: Readonly<Record<string, unknown>>, { names }: NameGroup): boolean =>
  names.every((name) => fields[name] !== undefined)
