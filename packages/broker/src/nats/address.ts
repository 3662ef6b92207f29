/** What a NATS URL says. */
export interface NatsAddress {
  servers: string[]
  credentials: { user: string; pass: string } | { token: string } | Record<string, never>
  tls: boolean
  /** Keeps platforms that share a server apart. */
  namespace: string
}

const PARTS = /^(nats|tls):\/\/(?:([^@/]*)@)?([^/?@]+)\/?(?:\?(.*))?$/

/** Reads `nats://user:password@host:port,other:port?namespace=name`; `tls:` speaks TLS. Messages carry no credential. */
export function readNatsAddress(url: string): NatsAddress {
  const [, scheme, userinfo = '', hosts, query = ''] = PARTS.exec(url) ?? []
  if (hosts === undefined) throw new Error('The broker URL must look like nats://user:password@host:4222.')
  const namespace = new URLSearchParams(query).get('namespace') ?? 'platform'
  if (!/^[A-Za-z0-9_-]{1,64}$/.test(namespace)) {
    throw new Error(`The namespace "${namespace}" of the broker URL must be letters, digits, "_" and "-".`)
  }
  return {
    servers: hosts.split(','),
    credentials: readCredentials(userinfo),
    tls: scheme === 'tls',
    namespace,
  }
}

function readCredentials(userinfo: string): NatsAddress['credentials'] {
  if (userinfo === '') return {}
  const [user = '', ...pass] = userinfo.split(':').map(decodeURIComponent)
  return pass.length === 0 ? { token: user } : { user, pass: pass.join(':') }
}
