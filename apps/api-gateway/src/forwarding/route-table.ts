import { limits } from '@platform/contracts'

/** Services a request may be forwarded to. */
export type Upstream = 'workspaces' | 'runtime' | 'events'

/** One line of the table. `:name` is one segment, `*name` the rest of the path, `{…}` may be missing. */
export interface Forwarding {
  path: string
  to: Upstream
  /** Whether a caller is needed; what they may do is decided by the service. */
  access: 'required' | 'optional'
  /** A bearer that is not ours belongs to the sender, and our credentials are never passed on (decisions I6). */
  receiver?: boolean
  /** An access token or an application of somebody else may read here but not write (decisions C4). */
  interactiveWrites?: boolean
  bodyLimitBytes?: number
}

const UPLOAD_BYTES = 10_000_000

/** Where a path is forwarded: the first line that matches wins. Whatever matches none is answered by the gateway itself. */
export const routeTable: readonly Forwarding[] = [
  { path: '/v2/workspaces/:workspaceId/webhooks/*path', to: 'runtime', access: 'optional', receiver: true },
  { path: '/v2/workspaces/:workspaceId/test/*automationSlug', to: 'runtime', access: 'required' },
  { path: '/v2/workspaces/:workspaceId/runs{/*rest}', to: 'runtime', access: 'required' },
  { path: '/v2/workspaces/:workspaceId/events{/*rest}', to: 'events', access: 'required' },
  { path: '/v2/workspaces/:workspaceId/search', to: 'events', access: 'required' },
  { path: '/v2/workspaces/:workspaceId/usage', to: 'events', access: 'required' },
  { path: '/v2/workspaces/:workspaceId/subscriptions{/*rest}', to: 'events', access: 'required' },
  {
    path: '/v2/workspaces/:workspaceId/security/*rest',
    to: 'workspaces',
    access: 'required',
    interactiveWrites: true,
  },
  {
    path: '/v2/workspaces/:workspaceId/files{/*rest}',
    to: 'workspaces',
    access: 'required',
    bodyLimitBytes: UPLOAD_BYTES,
  },
  { path: '/v2/workspaces{/*rest}', to: 'workspaces', access: 'required' },
  { path: '/v2/apps{/*rest}', to: 'workspaces', access: 'required' },
  { path: '/v2/files/*rest', to: 'workspaces', access: 'optional', bodyLimitBytes: UPLOAD_BYTES },
  { path: '/v2/pages{/*rest}', to: 'workspaces', access: 'optional' },
]

/** A line that is ready to match. */
export interface CompiledRoute extends Readonly<Required<Forwarding>> {
  readonly pattern: RegExp
}

/** Compiles the table once. */
export const compileRoutes = (table: readonly Forwarding[]): CompiledRoute[] =>
  table.map((line) => ({
    receiver: false,
    interactiveWrites: false,
    bodyLimitBytes: limits.bodyBytes,
    ...line,
    pattern: patternOf(line.path),
  }))

/** The line a canonical path belongs to. */
export function matchRoute(routes: readonly CompiledRoute[], path: string): CompiledRoute | undefined {
  for (const route of routes) if (route.pattern.test(path)) return route
  return undefined
}

function patternOf(path: string): RegExp {
  const source = path
    .replace(/\{\/\*\w+\}$/, '(?:/.*)?')
    .replace(/\*\w+$/, '.+')
    .replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${source}/?$`)
}
