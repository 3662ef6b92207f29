/** What a NATS URL says. */
export interface NatsAddress {
  servers: string[]
  credentials: { user: string; pass: string } | { token: string } | Record<string, never>
  tls: boolean
  /** File with the certificates that vouch for the server, beside those the system knows. */
  caFile?: string
  /** Keeps platforms that share a server apart. */
  namespace: string
}

const PARTS = /^(nats|tls):\/\/(?:([^@/]*)@)?([^/?@]+)\/?(?:\?(.*))?$/

/**
 * Reads `nats://user:password@host:port,other:port?namespace=name`; `tls:` speaks TLS, and `ca=/path/to/file` beside
 * the namespace names the authority of a server whose certificate the system doesn't know. Messages carry no
 * credential.
 */
export function readNatsAddress(url: string): NatsAddress {
  const [, scheme, userinfo = '', hosts, query = ''] = PARTS.exec(url) ?? []
  if (hosts === undefined) throw new Error('The broker URL must look like nats://user:password@host:4222.')
  const parameters = new URLSearchParams(query)
  const namespace = parameters.get('namespace') ?? 'platform'
  const caFile = parameters.get('ca')
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(namespace)) {
    throw new Error(`The namespace "${namespace}" of the broker URL must be letters, digits, "_" and "-".`)
  }
  return {
    servers: hosts.split(','),
    credentials: readCredentials(userinfo),
    tls: scheme === 'tls',
    namespace,
    ...(caFile === null ? {} : { caFile }),
  }
}

function readCredentials(userinfo: string): NatsAddress['credentials'] {
  if (userinfo === '') return {}
  const [user = '', ...pass] = userinfo.split(':').map(decodeURIComponent)
  return pass.length === 0 ? { token: user } : { user, pass: pass.join(':') }
}
