import { wordsOf } from '../words.ts'

/** Names of fields that come together in nearly every event. A lexeme stands for the words of all of them. */
interface NameGroup {
  readonly lexeme: string
  readonly names: readonly string[]
  readonly words: readonly string[]
}

/**
 * Ordered so that what has more comes before what has a part of it. Documents are found by these for as long as they
 * are kept: a group keeps its number and its names for ever, and new ones take new numbers.
 */
const groups: readonly NameGroup[] = [
  group(1, ['id', 'type', 'source', 'payload', 'createdAt', 'size']),
  group(2, ['workspaceId', 'correlationId', 'host', 'automationSlug', 'automationDepth']),
  group(3, ['workspaceId', 'correlationId', 'host']),
  group(4, ['userId', 'sessionId']),
  group(5, ['slug', 'trigger', 'duration', 'startedAt', 'break']),
  group(6, ['body', 'query', 'headers', 'method', 'pathParams']),
  group(7, ['content-type', 'content-length', 'x-correlation-id']),
  group(8, ['accept', 'accept-encoding', 'user-agent']),
  group(9, ['accept-language', 'sec-fetch-mode']),
]

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

  /** Finds the groups of which an object has all names. */
  addOf(fields: Readonly<Record<string, unknown>>): void {
    for (const { lexeme, names } of groups) {
      if (!hasAll(fields, names) || this.#hasAll(names)) continue
      this.lexemes.push(lexeme)
      for (const name of names) this.#names.add(name)
    }
  }

  #hasAll(names: readonly string[]): boolean {
    for (const name of names) if (!this.#names.has(name)) return false
    return true
  }
}

function hasAll(fields: Readonly<Record<string, unknown>>, names: readonly string[]): boolean {
  for (const name of names) if (fields[name] === undefined) return false
  return true
}
