/** Services a request may be forwarded to. */
export const upstreams = ['workspaces', 'runtime', 'events'] as const
export type Upstream = (typeof upstreams)[number]

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
  /** Default 1 MB. */
  bodyLimitBytes?: number
  /** How long the service may take to begin its answer; GATEWAY_TIMEOUT without it. */
  timeoutSeconds?: number
  /** What a connection may become here; everywhere else an upgrade is refused. */
  upgrade?: 'websocket'
  /** Answers have no end, or wait for news: each has a connection of its own, and holds no other request up. */
  stream?: boolean
  /** Requests of one session go to the instance that began it, whose name its id begins with. */
  affinity?: boolean
}

const UPLOAD_BYTES = 10_000_000
/** A form with files in it; the runtime takes 1 MB of anything else. */
const FORM_BYTES = 11_000_000
const IMPORT_BYTES = 100_000_000

/**
 * Where a path is forwarded: the first line that matches wins. Whatever matches none is answered by the gateway
 * itself.
 */
export const routeTable: readonly Forwarding[] = [
  {
    path: '/v2/workspaces/:workspaceId/webhooks/*path',
    to: 'runtime',
    access: 'optional',
    receiver: true,
    bodyLimitBytes: FORM_BYTES,
  },
  { path: '/v2/workspaces/:workspaceId/test/*automationSlug', to: 'runtime', access: 'required' },
  { path: '/v2/workspaces/:workspaceId/runs{/*rest}', to: 'runtime', access: 'required' },
  { path: '/v2/workspaces/:workspaceId/events/stream', to: 'events', access: 'required', stream: true },
  {
    path: '/v2/platform/workspaces/:workspaceId/events/stream',
    to: 'events',
    access: 'required',
    stream: true,
  },
  // Whoever has no credential here shows one to the service, in the first message. A poll is held until there is news.
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
    access: 'required',
    upgrade: 'websocket',
  },
  { path: '/v2/workspaces/:workspaceId/search', to: 'events', access: 'required' },
  { path: '/v2/search', to: 'events', access: 'required' },
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
  {
    path: '/v2/workspaces/:workspaceId/import',
    to: 'workspaces',
    access: 'required',
    bodyLimitBytes: IMPORT_BYTES,
  },
  { path: '/v2/workspaces/import', to: 'workspaces', access: 'required', bodyLimitBytes: IMPORT_BYTES },
  { path: '/v2/workspaces{/*rest}', to: 'workspaces', access: 'required' },
  { path: '/v2/platform/events/*rest', to: 'events', access: 'required' },
  { path: '/v2/apps{/*rest}', to: 'workspaces', access: 'required' },
  { path: '/v2/files/*rest', to: 'workspaces', access: 'optional', bodyLimitBytes: UPLOAD_BYTES },
  { path: '/v2/pages{/*rest}', to: 'workspaces', access: 'optional' },
]
