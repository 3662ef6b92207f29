import { readFileSync } from 'node:fs'
import { request } from 'node:https'
import { parse } from 'yaml'

/** An object of the API, as far as tests look into it. */
export interface ClusterObject {
  apiVersion: string
  kind: string
  metadata: {
    name: string
    namespace?: string
    labels?: Record<string, string>
    annotations?: Record<string, string>
    ownerReferences?: { kind: string; name: string }[]
    deletionTimestamp?: string
  }
  // biome-ignore lint/suspicious/noExplicitAny: the schema of Kubernetes is what the API server checks.
  [field: string]: any
}

/** The API of a cluster, for tests. */
export interface Cluster {
  kubeconfig: string
  get(path: string): Promise<ClusterObject>
  list(path: string): Promise<ClusterObject[]>
  /** Answers the status and, where it was refused, why. */
  create(path: string, object: object): Promise<{ status: number; message: string }>
  replace(path: string, object: object): Promise<{ status: number; message: string }>
  patch(path: string, change: object): Promise<void>
  remove(path: string): Promise<void>
}

/** The cluster of scripts/servers/kube-apiserver.sh; undefined without one. */
export function openCluster(): Cluster | undefined {
  const { TEST_KUBECONFIG: kubeconfig, REQUIRE_SERVERS } = process.env
  if (kubeconfig === undefined) {
    const sentence = 'TEST_KUBECONFIG is not set: nothing is installed into a cluster.'
    if (REQUIRE_SERVERS === '1') throw new Error(sentence)
    console.warn(`\n*** SKIPPED: ${sentence} ***\n`)
    return undefined
  }
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8'))
  const { server, 'certificate-authority': authority } = clusters[0].cluster
  const send = sender(server, readFileSync(authority), users[0].user.token)
  const good = async (method: string, path: string, body?: object, type?: string) => {
    const { status, json } = await send(method, path, body, type)
    if (status >= 300) throw new Error(`${method} ${path} was answered ${status}: ${json.message}`)
    return json
  }
  const tried = async (method: string, path: string, object: object) => {
    const { status, json } = await send(method, path, object)
    return { status, message: json.message ?? '' }
  }
  return {
    kubeconfig,
    get: (path) => good('GET', path),
    list: async (path) => (await good('GET', path)).items,
    create: (path, object) => tried('POST', path, object),
    replace: (path, object) => tried('PUT', path, object),
    patch: async (path, change) => void (await good('PATCH', path, change, 'application/merge-patch+json')),
    remove: async (path) => void (await send('DELETE', path)),
  }
}

interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  json: any
}
type Send = (method: string, path: string, body?: object, type?: string) => Promise<Reply>

const sender =
  (server: string, ca: Buffer, token: string): Send =>
  (method, path, body, type = 'application/json') =>
    new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${token}`, 'content-type': type }
      const call = request(server + path, { method, ca, headers, timeout: 30_000 }, (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            json: JSON.parse(Buffer.concat(chunks).toString() || '{}'),
          }),
        )
      })
      call.on('error', reject)
      call.on('timeout', () => call.destroy(new Error(`The API server did not answer ${path}.`)))
      call.end(body === undefined ? undefined : JSON.stringify(body))
    })
