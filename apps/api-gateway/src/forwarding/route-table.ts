import { type Endpoint, limits, pathPattern, type ServiceBehindGateway } from '@platform/contracts'
import { declaredEndpoints } from '@platform/openapi'

/** One line of the table. `:name` is one segment, `*name` the rest of the path, `{…}` may be missing. */
export interface Forwarding {
  path: string
  to: ServiceBehindGateway
  /** Whether a credential is needed, only where no contract below the path says it. */
  access?: 'required' | 'optional'
  /** 1 MB unless stated. */
  bodyLimitBytes?: number
  /** How long the service may take to begin its response; GATEWAY_TIMEOUT without it. */
  timeoutSeconds?: number
  /** What a connection may become here; everywhere else an upgrade is refused. */
  upgrade?: 'websocket'
  /** Responses have no end, or wait for news: each has a connection of its own, and delays no other request. */
  stream?: boolean
  /** Some responses are event streams: they use no connection that others need, and are not counted among them. */
  mayStream?: boolean
  /** Requests of one session go to the instance that began it, whose name its id begins with. */
  affinity?: boolean
}

const UPLOAD_BYTES = 10_000_000
/** A form with files in it; the runtime takes 1 MB of anything else. */
const FORM_BYTES = 11_000_000
/** Files of tests, with the automations that they are of. */
const TESTS_BYTES = 4_000_000
/** All functions of a workspace in one request, or what one is called with. */
const FUNCTIONS_BYTES = 20_000_000
const IMPORT_BYTES = 100_000_000

/**
 * Where a path is forwarded: the first line that matches wins. A path that matches none is of the gateway itself.
 */
export const routeTable: readonly Forwarding[] = [
  {
    path: '/v2/workspaces/:workspaceId/webhooks/*path',
    to: 'runtime',
    bodyLimitBytes: FORM_BYTES,
    mayStream: true,
  },
  { path: '/v2/workspaces/:workspaceId/test/*automationSlug', to: 'runtime' },
  { path: '/v2/workspaces/:workspaceId/tests', to: 'runtime', bodyLimitBytes: TESTS_BYTES },
  { path: '/v2/workspaces/:workspaceId/runs/:runId/stream', to: 'runtime', stream: true },
  { path: '/v2/workspaces/:workspaceId/runs{/*rest}', to: 'runtime' },
  { path: '/v2/workspaces/:workspaceId/schedules{/*rest}', to: 'runtime' },
  { path: '/v2/workspaces/:workspaceId/events/stream', to: 'events', stream: true },
  {
    path: '/v2/platform/workspaces/:workspaceId/events/stream',
    to: 'events',
    stream: true,
  },
  // A client without a credential shows one to the service, in its first message. A poll waits until there is news.
  {
    path: '/socket.io',
    to: 'events',
    access: 'optional',
    upgrade: 'websocket',
    stream: true,
    affinity: true,
  },
  {
    path: '/v2/workspaces/:workspaceId/events{/*rest}',
    to: 'events',
    upgrade: 'websocket',
  },
  { path: '/v2/workspaces/:workspaceId/search', to: 'events' },
  { path: '/v2/search', to: 'events' },
  { path: '/v2/workspaces/:workspaceId/usage', to: 'events' },
  { path: '/v2/workspaces/:workspaceId/subscriptions{/*rest}', to: 'events' },
  { path: '/v2/workspaces/:workspaceId/security/secrets{/*rest}', to: 'runtime' },
  { path: '/v2/workspaces/:workspaceId/security/*rest', to: 'workspaces' },
  {
    path: '/v2/workspaces/:workspaceId/files{/*rest}',
    to: 'workspaces',
    access: 'required',
    bodyLimitBytes: UPLOAD_BYTES,
  },
  {
    path: '/v2/workspaces/:workspaceId/import',
    to: 'workspaces',
    access: 'required',
    bodyLimitBytes: IMPORT_BYTES,
  },
  { path: '/v2/workspaces/import', to: 'workspaces', access: 'required', bodyLimitBytes: IMPORT_BYTES },
  { path: '/v2/workspaces{/*rest}', to: 'workspaces' },
  { path: '/v2/platform/events/*rest', to: 'events' },
  { path: '/v2/platform/workspaces/:workspaceId/suspension', to: 'workspaces' },
  { path: '/v2/functions/:workspaceId/run/:functionName', to: 'runtime', bodyLimitBytes: FUNCTIONS_BYTES },
  { path: '/v2/functions{/*rest}', to: 'workspaces', bodyLimitBytes: FUNCTIONS_BYTES },
  { path: '/v2/apps{/*rest}', to: 'workspaces', access: 'required' },
  { path: '/v2/files/*rest', to: 'workspaces', access: 'optional', bodyLimitBytes: UPLOAD_BYTES },
  { path: '/v2/pages{/*rest}', to: 'workspaces', access: 'optional' },
]

/** A line of the table with everything it leaves out, and what the contracts below its path say. */
export interface CompiledRoute extends Readonly<Required<Omit<Forwarding, 'upgrade' | 'timeoutSeconds'>>> {
  /** A bearer that is not ours belongs to the sender, and our credentials are never passed on. */
  readonly receiver: boolean
  /** Every operation here that changes something is for people who signed in. */
  readonly interactiveWrites: boolean
  readonly timeoutMs: number
  readonly upgrade: Forwarding['upgrade']
}

/** The line a canonical path belongs to; undefined for a path of the gateway itself. */
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
 * Throws an Error for a line of which neither it nor a contract says whether a credential is needed.
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
  const contractsOf = contractsByLine(lines)
  const all = lines.map((line) => ({
    fourth: literal(segmentsOf(line.path)[3]),
    candidate: { route: complete(line, timeoutMs, contractsOf(line)), pattern: pathPattern(line.path) },
  }))
  const listFor = (name: string | undefined) =>
    all.filter(({ fourth }) => fourth === undefined || fourth === name).map(({ candidate }) => candidate)
  const names = all.flatMap(({ fourth }) => (fourth === undefined ? [] : [fourth]))
  return { byFourth: new Map(names.map((name) => [name, listFor(name)])), any: listFor(undefined) }
}

/** The operations that each line forwards: those of its service for which it is the first line that matches. */
function contractsByLine(lines: readonly Forwarding[]): (line: Forwarding) => readonly Endpoint[] {
  const patterns = lines.map((line) => ({ line, pattern: pathPattern(line.path) }))
  const byLine = Map.groupBy(declaredEndpoints, ({ service, path }) => {
    const sample = path.replaceAll(/[:*]\w+/g, 'x')
    const first = patterns.find(({ pattern }) => pattern.test(sample))?.line
    return first?.to === service ? first : undefined
  })
  return (line) => byLine.get(line) ?? []
}

/** Required unless an operation below the path takes callers without a credential: then its service decides. */
function accessOf({ path, access }: Forwarding, contracts: readonly Endpoint[]): 'required' | 'optional' {
  if (contracts.length === 0 && access !== undefined) return access
  if (contracts.length === 0) throw new Error(`Nothing says whether ${path} needs a credential.`)
  if (access !== undefined)
    throw new Error(`Contracts say whether ${path} needs a credential: leave "access" out.`)
  const needsOne = contracts.every(({ credential }) => credential === 'required' || credential === 'internal')
  return needsOne ? 'required' : 'optional'
}

function hasOnlyInteractiveWrites(contracts: readonly Endpoint[]): boolean {
  const writes = contracts.filter(({ method }) => method !== 'get')
  return writes.length > 0 && writes.every(({ interactive }) => interactive === true)
}

const complete = (
  { timeoutSeconds, ...line }: Forwarding,
  timeoutMs: number,
  contracts: readonly Endpoint[],
): CompiledRoute => ({
  bodyLimitBytes: limits.bodyBytes,
  upgrade: undefined,
  stream: false,
  mayStream: false,
  affinity: false,
  ...line,
  access: accessOf(line, contracts),
  receiver: contracts.some(({ receiver }) => receiver === true),
  interactiveWrites: hasOnlyInteractiveWrites(contracts),
  timeoutMs: timeoutSeconds === undefined ? timeoutMs : timeoutSeconds * 1000,
})

/** `/v2/pages{/*rest}` → `v2`, `pages`, `{*rest}`: an optional end is a segment of its own and no literal. */
const segmentsOf = (path: string): string[] => path.replace('{/', '/{').split('/').slice(1)

const literal = (segment: string | undefined): string | undefined =>
  segment === undefined || /^[:*{]/.test(segment) ? undefined : segment
