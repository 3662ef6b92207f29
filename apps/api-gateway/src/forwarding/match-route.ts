import { limits } from '@platform/contracts'
import type { Forwarding } from './route-table.ts'

/** A line of the table with everything it leaves out. */
export interface CompiledRoute extends Readonly<Required<Omit<Forwarding, 'upgrade' | 'timeoutSeconds'>>> {
  readonly timeoutMs: number
  readonly upgrade: Forwarding['upgrade']
}

/** The line a canonical path belongs to; undefined for what the gateway answers itself. */
export type MatchRoute = (path: string) => CompiledRoute | undefined

interface Candidate {
  readonly route: CompiledRoute
  readonly pattern: RegExp
}

/**
 * Lines that begin alike: those that name a fourth segment by that segment, all others in `any`. Each list is in the
 * table's order.
 */
interface Branch {
  readonly byFourth: Map<string, Candidate[]>
  readonly any: Candidate[]
}

/**
 * Turns the table into a decision: the second segment (`/v2/HERE`) and the fourth (`/v2/x/y/HERE`) leave one or two
 * lines, which are then tried in their order. Done for each request, so nothing is made here but two short strings.
 */
export function compileRoutes(table: readonly Forwarding[], timeoutMs: number): MatchRoute {
  const branches = new Map<string, Branch>()
  for (const [name, lines] of Map.groupBy(table, ({ path }) => segmentsOf(path)[1] ?? ''))
    branches.set(name, branchOf(lines, timeoutMs))
  return (path) => {
    const second = segmentFrom(path, path.indexOf('/', 1))
    const branch = branches.get(second)
    if (branch === undefined) return undefined
    const third = path.indexOf('/', path.indexOf('/', 1) + 1)
    const fourth = third < 0 ? '' : segmentFrom(path, path.indexOf('/', third + 1))
    return firstMatch(branch.byFourth.get(fourth) ?? branch.any, path)
  }
}

function firstMatch(candidates: readonly Candidate[], path: string): CompiledRoute | undefined {
  for (const { route, pattern } of candidates) if (pattern.test(path)) return route
  return undefined
}

/** The segment behind the slash at `slash`; empty when there is none. */
function segmentFrom(path: string, slash: number): string {
  if (slash < 0) return ''
  const end = path.indexOf('/', slash + 1)
  return end < 0 ? path.slice(slash + 1) : path.slice(slash + 1, end)
}

function branchOf(lines: readonly Forwarding[], timeoutMs: number): Branch {
  const all = lines.map((line) => ({
    fourth: literal(segmentsOf(line.path)[3]),
    candidate: { route: complete(line, timeoutMs), pattern: patternOf(line.path) },
  }))
  const listFor = (name: string | undefined) =>
    all.filter(({ fourth }) => fourth === undefined || fourth === name).map(({ candidate }) => candidate)
  const names = all.flatMap(({ fourth }) => (fourth === undefined ? [] : [fourth]))
  return { byFourth: new Map(names.map((name) => [name, listFor(name)])), any: listFor(undefined) }
}

const complete = ({ timeoutSeconds, ...line }: Forwarding, timeoutMs: number): CompiledRoute => ({
  receiver: false,
  interactiveWrites: false,
  bodyLimitBytes: limits.bodyBytes,
  upgrade: undefined,
  stream: false,
  affinity: false,
  ...line,
  timeoutMs: timeoutSeconds === undefined ? timeoutMs : timeoutSeconds * 1000,
})

/** `/v2/pages{/*rest}` → `v2`, `pages`, `{*rest}`: an optional end is a segment of its own and no literal. */
const segmentsOf = (path: string): string[] => path.replace('{/', '/{').split('/').slice(1)

const literal = (segment: string | undefined): string | undefined =>
  segment === undefined || /^[:*{]/.test(segment) ? undefined : segment

function patternOf(path: string): RegExp {
  const source = path
    .replace(/\{\/\*\w+\}$/, '(?:/.*)?')
    .replace(/\*\w+$/, '.+')
    .replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${source}/?$`)
}
