import { mayTrigger, type UrlPart, urlPartsOf, withoutEdgeSlashes } from '@platform/contracts'
import type { CompiledAutomation, CompiledWorkspace, SourcePlace, UrlMatch } from '../automations/model.ts'
import type { IndexedAutomation, LiveWorkspace } from './definition-store.ts'

/** Finds a compiled automation of a workspace: at once where it is known. */
export type FindAutomation = (
  automation: IndexedAutomation,
) => CompiledAutomation | undefined | Promise<CompiledAutomation | undefined>

/** Finds where an instruction stands in the text of an automation. */
export type FindPlace = (
  automation: IndexedAutomation,
  instruction: string,
) => Promise<SourcePlace | undefined>

const noText: FindPlace = async () => undefined

/** Indexes the triggers of a workspace; its automations are read and compiled when they are first asked for. */
export function compileWorkspace(
  live: LiveWorkspace,
  findAutomation: FindAutomation,
  findPlace: FindPlace = noText,
  findFunction: CompiledWorkspace['findFunction'] = async () => undefined,
): CompiledWorkspace {
  const automations = new Map(live.automations.map((one) => [one.slug, one]))
  // Disabled automations keep their place in the table: a URL of theirs must not fall through to a pattern of another.
  const urls: UrlTrigger[] = live.automations.flatMap(({ slug, endpoint }) =>
    endpoint === null || endpoint === '' ? [] : [{ slug, path: endpoint }],
  )
  const events = indexEvents(live.automations)
  return {
    id: live.workspaceId,
    slug: live.workspaceSlug,
    name: live.workspaceName,
    revision: live.revision,
    suspendedFor: live.suspendedFor ?? undefined,
    config: configValues(live.config),
    endpoints: new Map(urls.map(({ slug, path }) => [slug, withoutEdgeSlashes(path)])),
    find(slug) {
      const automation = automations.get(slug)
      return automation === undefined ? undefined : findAutomation(automation)
    },
    async placeOf(slug, instruction) {
      const automation = automations.get(slug)
      return automation === undefined ? undefined : await findPlace(automation, instruction)
    },
    findFunction,
    matchUrl: compileUrls(urls),
    listeners: (type) => events.get(type) ?? [],
    priorityOf: (slug) => automations.get(slug)?.priority ?? 0,
  }
}

/** Types that may not trigger are left out, however they came into a definition. */
function indexEvents(automations: readonly IndexedAutomation[]): Map<string, string[]> {
  const index = new Map<string, string[]>()
  for (const { slug, events, disabled } of automations) {
    if (disabled || !Array.isArray(events)) continue
    for (const type of new Set(events.filter((one) => typeof one === 'string' && mayTrigger(one)))) {
      const listeners = index.get(type)
      if (listeners === undefined) index.set(type, [slug])
      else listeners.push(slug)
    }
  }
  return index
}

function configValues(config: unknown): Readonly<Record<string, unknown>> {
  const { value } = Object(config ?? {}) as { value?: unknown }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}

/** What an automation says about its address: its slug, or a path with `:one` and `*many` segments. */
interface UrlTrigger {
  slug: string
  path: string
}

/**
 * Comparisons that all patterns of a workspace with several `*name` may make for one path. None can be saved any
 * more; those saved before go on working for every path a person would write.
 */
const MAX_SEARCH = 100_000

/**
 * Finds the automation behind a path. An exact path beats every pattern; of the patterns the first one declared wins.
 */
export function compileUrls(triggers: readonly UrlTrigger[]): (path: string) => UrlMatch | undefined {
  const exact = new Map<string, UrlMatch>()
  const patterns: Pattern[] = []
  for (const { slug, path } of triggers) {
    const normal = withoutEdgeSlashes(path)
    const segments = urlPartsOf(normal)
    if (segments.some((segment) => 'name' in segment)) patterns.push(patternOf(slug, segments))
    else if (!exact.has(normal)) exact.set(normal, { slug, pathParams: {} })
  }
  return (path) => {
    const normal = withoutEdgeSlashes(path)
    return exact.get(normal) ?? firstMatch(patterns, normal)
  }
}

/** A pattern in the pieces between its `*name`. */
interface Pattern {
  slug: string
  /** Parts a path must at least have. */
  length: number
  first: readonly UrlPart[]
  /** Each `*name` with what stands between it and the next, or the end. */
  many: readonly { name: string; block: readonly UrlPart[] }[]
}

function patternOf(slug: string, segments: readonly UrlPart[]): Pattern {
  const first: UrlPart[] = []
  const many: { name: string; block: UrlPart[] }[] = []
  for (const segment of segments) {
    if ('many' in segment && segment.many) many.push({ name: segment.name, block: [] })
    else (many.at(-1)?.block ?? first).push(segment)
  }
  return { slug, length: segments.length, first, many }
}

function firstMatch(patterns: readonly Pattern[], path: string): UrlMatch | undefined {
  if (patterns.length === 0) return undefined
  const parts = path.split('/')
  // No URL means two slashes in a row.
  if (parts.includes('')) return undefined
  const search = { left: MAX_SEARCH }
  for (const pattern of patterns) {
    const pathParams = matchPattern(pattern, parts, search)
    if (pathParams !== undefined) return { slug: pattern.slug, pathParams }
  }
  return undefined
}

/**
 * Each `*name` takes as few parts as it can, at least one. The beginning and the end of a pattern have one place in a
 * path, so one `*name` needs no search; what stands between two is looked for from the left, and its first place is
 * always a right one.
 */
function matchPattern(
  pattern: Pattern,
  parts: readonly string[],
  search: { left: number },
): Record<string, string> | undefined {
  if (!isFramed(pattern, parts)) return undefined
  const { first, many } = pattern
  const last = many.at(-1)
  const params: Record<string, string> = {}
  takeParams(first, parts, 0, params)
  let from = first.length
  for (const one of many) {
    const { name, block } = one
    const end = one === last ? parts.length - block.length : placeOf(block, parts, from + 1, search)
    if (end === undefined || end <= from) return undefined
    params[name] = parts.slice(from, end).join('/')
    takeParams(block, parts, end, params)
    from = end + block.length
  }
  return params
}

/** Whether a path is long enough and begins and ends as the pattern does. */
function isFramed({ length, first, many }: Pattern, parts: readonly string[]): boolean {
  const last = many.at(-1)
  if (last === undefined) return parts.length === length && standsAt(first, parts, 0)
  if (parts.length < length || !standsAt(first, parts, 0)) return false
  return standsAt(last.block, parts, parts.length - last.block.length)
}

function placeOf(
  block: readonly UrlPart[],
  parts: readonly string[],
  from: number,
  search: { left: number },
): number | undefined {
  for (let at = from; at + block.length <= parts.length; at += 1) {
    search.left -= block.length + 1
    if (search.left < 0) return undefined
    if (standsAt(block, parts, at)) return at
  }
  return undefined
}

const standsAt = (block: readonly UrlPart[], parts: readonly string[], at: number): boolean =>
  block.every((segment, index) => !('literal' in segment) || segment.literal === parts[at + index])

function takeParams(
  block: readonly UrlPart[],
  parts: readonly string[],
  at: number,
  params: Record<string, string>,
): void {
  for (const [index, segment] of block.entries()) {
    if ('name' in segment) params[segment.name] = parts[at + index] ?? ''
  }
}
