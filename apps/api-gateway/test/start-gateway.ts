import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, Socket } from 'node:net'
import { services, servicesBehindGateway } from '@platform/contracts'
import { acceptLinks, type ServedLinks, takeLink } from '@platform/http'
import type { IdentityTuning } from '@platform/identity'
import { CHEAP_HASH, signsPeopleIn } from '@platform/identity/testing'
import { createClient } from '@platform/service-client'
import { startTestService, TEST_INTERNAL_KEY, type TestServiceOptions } from '@platform/testing'
import { apiGatewayWith } from '../src/service.ts'

export type { SignedIn } from '@platform/identity/testing'

export const CONSOLE = 'http://localhost:3000'

export type TestGateway = Awaited<ReturnType<typeof startGateway>>

const addressesOf = (behind: string): Record<string, string> =>
  Object.fromEntries(servicesBehindGateway.map((name) => [services[name].urlVariable, behind]))

interface GatewayOptions extends TestServiceOptions {
  services?: string
  /** Passwords cost little unless stated. */
  tuning?: IdentityTuning
}

/** A gateway on a real database, in front of whatever `services` are; without them nothing answers behind it. */
export async function startGateway(options: GatewayOptions = {}) {
  const { services: behind = 'http://127.0.0.1:9', tuning, ...given } = options
  const service = await startTestService(apiGatewayWith({ hashCost: CHEAP_HASH, ...tuning }), {
    ...given,
    env: {
      SAMPLE_WORKSPACE: 'false',
      ADMIN_EMAIL: 'root@example.com',
      ADMIN_PASSWORD: 'a password of the tests',
      ...addressesOf(behind),
      ...options.env,
    },
  })
  const identity = await signsPeopleIn(service.database)
  return {
    ...service,
    ...identity,
    databaseUrl: service.env.DATABASE_URL ?? '',
    internalHeaders: { 'x-platform-api-key': TEST_INTERNAL_KEY },
    client: (headers: Record<string, string> = {}) => createClient(service.url, headers),
  }
}

/** A server behind the gateway that is not ours: a test says what it does. */
export interface Upstream extends AsyncDisposable {
  url: string
  links: ServedLinks | undefined
  /** How many connections have been made to it. */
  connections(): number
  /** Raw headers of the requests that came, newest last. */
  seen: {
    method: string
    url: string
    raw: string[]
    headers: Record<string, string | string[] | undefined>
    /** Whether it came over a link. */
    isLinked: boolean
  }[]
}

/**
 * Starts such a server; without `listener` it answers what it was sent. Whether it is ready it says by itself. With
 * `hasLinks` it takes requests over links, too.
 */
export async function startUpstream(
  listener?: RequestListener,
  { hasLinks = false } = {},
): Promise<Upstream> {
  const seen: Upstream['seen'] = []
  const receive: RequestListener = (request, response) => {
    if (request.url === '/sys/readyz') return void response.end()
    seen.push({
      isLinked: !(request.socket instanceof Socket),
      method: request.method ?? '',
      url: request.url ?? '',
      raw: request.rawHeaders,
      headers: request.headers,
    })
    if (listener !== undefined) return listener(request, response)
    response.setHeader('content-type', 'application/json')
    request.resume()
    request.on('end', () => response.end(JSON.stringify({ method: request.method, url: request.url })))
  }
  const server = createServer(receive)
  const links = hasLinks ? acceptLinks(server, TEST_INTERNAL_KEY, receive) : undefined
  if (hasLinks) server.on('upgrade', (request, socket, head) => void takeLink(server, request, socket, head))
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    links,
    connections: () => connections,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      links?.cut()
      server.close()
      await once(server, 'close')
    },
  }
}
