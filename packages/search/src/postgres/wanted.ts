import { type Database, empty, join, type Sql, sql } from '@platform/database'

/** Lexemes that a document has to have: a `tsquery` of which one lexeme is enough, or all or any of several. */
export type Wanted = string | { readonly all: readonly Wanted[] } | { readonly any: readonly Wanted[] }

/** The ids of the vocabularies that fulfil such a `tsquery`. */
export type AmongVocabularies = (query: string) => readonly string[]

/** SQL: a document has what is wanted, itself or by its vocabulary. Where none has any of it, that is one `tsquery`. */
export function toCondition(wanted: Wanted, among: AmongVocabularies): Sql {
  const inVocabularies = new Map(leavesOf(wanted).map((query) => [query, among(query)]))
  const isInNone = [...inVocabularies.values()].every(({ length }) => length === 0)
  if (isInNone) return sql`words @@ ${toQuery(wanted)}::tsquery`
  const conditionOf = (part: Wanted): Sql => {
    if (typeof part !== 'string')
      return 'all' in part
        ? sql`(${join(part.all.map(conditionOf), ' and ')})`
        : sql`(${join(part.any.map(conditionOf), ' or ')})`
    const ids = inVocabularies.get(part) ?? []
    const isOwn = sql`words @@ ${part}::tsquery`
    return ids.length === 0 ? isOwn : sql`(${isOwn} or vocabulary = any(${[...ids]}::uuid[]))`
  }
  return conditionOf(wanted)
}

const leavesOf = (wanted: Wanted): string[] =>
  typeof wanted === 'string' ? [wanted] : partsOf(wanted).flatMap(leavesOf)

const partsOf = (wanted: Exclude<Wanted, string>): readonly Wanted[] =>
  'all' in wanted ? wanted.all : wanted.any

/** The same as one `tsquery`, which knows nothing of vocabularies. */
export function toQuery(wanted: Wanted): string {
  if (typeof wanted === 'string') return wanted
  const parts = partsOf(wanted).map((part) =>
    typeof part === 'string' || partsOf(part).length < 2 ? toQuery(part) : `(${toQuery(part)})`,
  )
  return parts.join('all' in wanted ? ' & ' : ' | ')
}

interface FoundRow {
  query: string
  id: string
}

/**
 * Builds what a search of a stream, or of all, asks for. Where that depends on lexemes, the vocabularies are asked
 * first which of them have these, and it is built again if any has.
 */
export async function amongVocabularies<T>(
  database: Database,
  { stream, timeoutMs }: { stream: string | undefined; timeoutMs: () => number },
  build: (among: AmongVocabularies) => T,
): Promise<T> {
  const asked = new Set<string>()
  const built = build((query) => {
    asked.add(query)
    return []
  })
  if (asked.size === 0) return built
  const rows = await database.many<FoundRow>(
    sql`
      select asked.query, vocabularies.id
      from unnest(${[...asked]}::text[]) as asked (query)
      join search.vocabularies on vocabularies.lexemes @@ asked.query::tsquery
      ${stream === undefined ? empty : sql`where vocabularies.stream = ${stream}`}`,
    { timeoutMs: timeoutMs() },
  )
  if (rows.length === 0) return built
  const found = Map.groupBy(rows, ({ query }) => query)
  return build((query) => (found.get(query) ?? []).map(({ id }) => id))
}
