import { randomBytes } from 'node:crypto'
import { connect as connectTo, createServer, type Socket } from 'node:net'
import { uuidv7 } from '@platform/kernel'
import { type IndexAddress, readIndexAddress } from '../src/index-store/address.ts'
import { connect } from '../src/index-store/connection.ts'
import type { IndexOptions } from '../src/index-store/open.ts'
import type { StoreResponse } from '../src/index-store/store.ts'
import { openSearchIndex } from '../src/open-search-index.ts'
import type { PlacedDocument } from '../src/search.ts'
import type { SearchIndex } from '../src/search-index.ts'

/** The server that tests use; they are skipped without it, loudly, and fail where servers are required. */
export const searchServer = process.env.TEST_SEARCH_URL

if (searchServer === undefined) {
  const sentence = 'TEST_SEARCH_URL must name an OpenSearch or Elasticsearch server'
  if (process.env.REQUIRE_SERVERS === '1') throw new Error(`${sentence}.`)
  console.warn(`SKIPPED: the index in a search store; ${sentence} to test it.`)
}

/** An index in a namespace of its own, and the store behind it. */
export interface TestIndex {
  index: SearchIndex
  prefix: string
  driver: IndexAddress['driver']
  /** Asks the store itself; refusals come back with their status. */
  ask<Body>(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<StoreResponse<Body>>
}

export async function testIndex(options: IndexOptions = {}, server = searchServer ?? ''): Promise<TestIndex> {
  const url = `${server}?namespace=t${randomBytes(6).toString('hex')}`
  const address = readIndexAddress(url)
  const store = connect(readIndexAddress(`${searchServer}`))
  return {
    index: await openSearchIndex(url, { replicas: 0, ...options }),
    prefix: address.prefix,
    driver: address.driver,
    ask: (method, path, body) =>
      store.request({ method, path, timeoutMs: 20_000, ...(body === undefined ? {} : { body }) }),
  }
}

export const newStream = (): string => `events-${uuidv7()}`

/** An event as the log keeps it. */
export function placed(stream: string, sequence: number, payload: unknown, id = uuidv7()): PlacedDocument {
  const createdAt = new Date(1_790_000_000_000 + sequence).toISOString()
  const document = { id, type: 'order.placed', source: { workspaceId: 'w1' }, payload, createdAt, size: 100 }
  return { stream, id, sequence, document }
}

/** The same store behind a proxy that can be frozen: what is sent does not arrive, and no error is seen. */
export async function freezable(): Promise<AsyncDisposable & { url: string; freeze(): void }> {
  const { nodes, driver } = readIndexAddress(`${searchServer}`)
  const { hostname, port } = new URL(nodes[0] ?? '')
  const sockets = new Set<Socket>()
  let frozen = false
  const server = createServer((from) => {
    const to = connectTo(Number(port), hostname)
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one)
      one.on('data', (part) => {
        if (!frozen) other.write(part)
      })
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The way must have a port.')
  return {
    url: `${driver}+http://127.0.0.1:${address.port}`,
    freeze: () => {
      frozen = true
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
