import { Failure } from '@platform/kernel'
import type { Filter } from '@platform/search'

/** Paths and wildcards on what events carry that the filter of one reader or subscription may have. */
export const LOOKS_MAX = 30
/**
 * Different ones that all subscriptions of a workspace may have together, and so may its live readers in one process.
 */
export const SHARED_LOOKS_MAX = 100
/** Wildcards a value may have: each makes the store look again from where the last one ended. */
export const WILDCARDS_MAX = 10
const VALUES_MAX = 1000
const CHARACTERS_MAX = 20_000

/** Fields the platform writes itself: short, and looked at for nothing. */
const isShort = (path: string): boolean => /^(?:type|id|createdAt|size|source\..*)$/.test(path)

/** What a filter that is asked about every event of a workspace costs. */
interface FilterCost {
  /** What it looks at in an event that may be long, each by a name. Filters that share one pay for it once. */
  readonly looks: Set<string>
  values: number
  characters: number
}

/** The names of what a filter looks at that may be long. */
export const looksOf = (filter: Filter): ReadonlySet<string> => costOf(filter).looks

/**
 * Throws RequestValidationError for a filter that is too large to be asked about every event; `parameter` is
 * where it was given.
 */
export function requireCheapFilter(filter: Filter, parameter: string): void {
  const { looks, values, characters } = costOf(filter)
  if (looks.size > LOOKS_MAX)
    throw tooCostly(
      parameter,
      `The filter has ${looks.size} paths and wildcards that are looked for in every event: it may have ${LOOKS_MAX}.`,
    )
  if (values > VALUES_MAX)
    throw tooCostly(parameter, `The filter has ${values} values: it may have ${VALUES_MAX}.`)
  if (characters > CHARACTERS_MAX)
    throw tooCostly(parameter, `The filter has ${characters} characters: it may have ${CHARACTERS_MAX}.`)
}

export const tooCostly = (parameter: string, message: string): Failure =>
  new Failure('RequestValidationError', message, { details: [{ path: parameter, message }] })

function costOf(filter: Filter): FilterCost {
  const cost: FilterCost = { looks: new Set(), values: 0, characters: 0 }
  add(filter, cost)
  return cost
}

function add(filter: Filter, cost: FilterCost): void {
  const parts = partsOf(filter)
  if (parts !== undefined) for (const part of parts) add(part, cost)
  else if ('path' in filter) addPath(filter, cost)
  else if ('text' in filter) {
    cost.looks.add('words')
    cost.characters += filter.text.length
  }
}

function partsOf(filter: Filter): readonly Filter[] | undefined {
  if ('all' in filter) return filter.all
  if ('any' in filter) return filter.any
  return 'not' in filter ? [filter.not] : undefined
}

function addPath(filter: Extract<Filter, { path: string }>, cost: FilterCost): void {
  const { path } = filter
  const values = valuesOf(filter)
  cost.values += values.length
  cost.characters += values.reduce((sum, value) => sum + value.length, path.length)
  if (isShort(path)) return
  cost.looks.add(path)
  if ('like' in filter) cost.looks.add(JSON.stringify([path, filter.like]))
}

function valuesOf(filter: Extract<Filter, { path: string }>): readonly string[] {
  if ('in' in filter) return filter.in.map(String)
  return 'like' in filter ? [filter.like] : ['']
}

/** How many `*` a value has. */
export const countWildcards = (value: string): number => value.split('*').length - 1

/** Throws RequestValidationError for a pattern with more wildcards than a value may have. */
export function requireFewWildcards(pattern: string, parameter: string): string {
  if (countWildcards(pattern) <= WILDCARDS_MAX) return pattern
  throw tooCostly(parameter, `A value of "${parameter}" has more than ${WILDCARDS_MAX} wildcards.`)
}

/** What the filters of each workspace look at together. */
export class SharedLooks {
  readonly #workspaces = new Map<string, Map<string, number>>()

  /** How many there would be with these. */
  sizeWith(workspaceId: string, looks: ReadonlySet<string>): number {
    const known = this.#workspaces.get(workspaceId)
    if (known === undefined) return looks.size
    return known.size + [...looks].filter((look) => !known.has(look)).length
  }

  /** Adds some; answers what takes them away again. */
  add(workspaceId: string, looks: ReadonlySet<string>): () => void {
    if (looks.size === 0) return () => undefined
    const known = this.#workspaces.get(workspaceId) ?? new Map<string, number>()
    this.#workspaces.set(workspaceId, known)
    for (const look of looks) known.set(look, (known.get(look) ?? 0) + 1)
    return () => {
      for (const look of looks) {
        const left = (known.get(look) ?? 0) - 1
        if (left > 0) known.set(look, left)
        else known.delete(look)
      }
      if (known.size === 0) this.#workspaces.delete(workspaceId)
    }
  }
}
