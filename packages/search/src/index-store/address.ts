/** What the URL of a search store says. */
export interface IndexAddress {
  driver: 'opensearch' | 'elasticsearch'
  /** Nodes of one cluster, without credentials. */
  nodes: string[]
  credentials: { username: string; password: string } | undefined
  /** Stands before every name; keeps platforms that share a store apart. Empty, or ends with `-`. */
  prefix: string
}

const PARTS = /^(opensearch|elasticsearch)\+(https?):\/\/(?:([^@/]*)@)?([^/?@]+)\/?(?:\?(.*))?$/
const NAMESPACE = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** Reads `opensearch+https://user:password@host:port,other:port?namespace=name`. Messages carry no credential. */
export function readIndexAddress(url: string): IndexAddress {
  const [, driver, scheme, userinfo = '', hosts, query = ''] = PARTS.exec(url) ?? []
  if (hosts === undefined) {
    throw new Error(
      'The search URL must look like opensearch+https://user:password@host:9200 or elasticsearch+https://….',
    )
  }
  const namespace = new URLSearchParams(query).get('namespace')
  if (namespace !== null && !NAMESPACE.test(namespace)) {
    throw new Error(
      `The namespace "${namespace}" of the search URL must be lower-case letters, digits, "_" and "-".`,
    )
  }
  return {
    driver: driver === 'opensearch' ? 'opensearch' : 'elasticsearch',
    nodes: hosts.split(',').map((host) => `${scheme}://${host}`),
    credentials: readCredentials(userinfo),
    prefix: namespace === null ? '' : `${namespace}-`,
  }
}

function readCredentials(userinfo: string): IndexAddress['credentials'] {
  if (userinfo === '') return undefined
  const [username = '', ...password] = userinfo.split(':').map(decodeURIComponent)
  return { username, password: password.join(':') }
}
