import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resourceScopes } from '@platform/contracts'
import { type Database, sql } from '@platform/database'
import { createClient } from '@platform/http'
import { type Clock, systemClock, uuidv7 } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { masterKeyRing } from '@platform/master-keys'
import { startTestService, TEST_INTERNAL_KEY } from '@platform/testing'
import { apiGateway } from './service.ts'
import { jwtMint } from './sessions/mint-jwt.ts'
import { sessionStore } from './sessions/session-store.ts'
import { noTrail } from './sessions/session-trail.ts'
import { liveSessions } from './sessions/sessions.ts'
import { KeyRing } from './signing-keys/key-ring.ts'
import { sealedKeys } from './signing-keys/sealed-keys.ts'
import { signingKeyStore } from './signing-keys/signing-key-store.ts'

const ISSUER = 'http://localhost:3001/oidc'
const AUDIENCE = 'http://localhost:3001/v2'
export const CONSOLE = 'http://localhost:3000'
const MASTER_KEY = Buffer.alloc(32, 7)

/** What a test changes of somebody who is signed in. */
export interface SignInOptions {
  userId?: string
  superAdmin?: boolean
  scopes?: readonly string[]
  expiresInSeconds?: number
  /** The application that obtained the JWT; the console without it. */
  clientId?: string
}

/** Somebody who is signed in, with the JWT to prove it. */
export interface SignedIn {
  userId: string
  sessionId: string
  jwt: string
  headers: { authorization: string }
}

export type TestGateway = Awaited<ReturnType<typeof startGateway>>

/** A gateway on a real database, in front of whatever `services` are; without them nothing answers behind it. */
export async function startGateway(
  options: {
    env?: Record<string, string>
    databaseUrl?: string
    services?: string
    log?: Logger
    clock?: Clock
  } = {},
) {
  const behind = options.services ?? 'http://127.0.0.1:9'
  const service = await startTestService(apiGateway, {
    ...(options.databaseUrl === undefined ? {} : { databaseUrl: options.databaseUrl }),
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    env: {
      SAMPLE_WORKSPACE: 'false',
      ADMIN_EMAIL: 'root@example.com',
      ADMIN_PASSWORD: 'a password of the tests',
      WORKSPACES_API_URL: behind,
      RUNTIME_API_URL: behind,
      EVENTS_API_URL: behind,
      ...options.env,
    },
  })
  const identity = await openIdentity(service.database)
  return {
    ...service,
    ...identity,
    databaseUrl: service.env.DATABASE_URL ?? '',
    internalHeaders: { 'x-platform-api-key': TEST_INTERNAL_KEY },
    client: (headers: Record<string, string> = {}) => createClient(service.url, headers),
  }
}

/** Signs people in as the OIDC server would: a user, a session, and a JWT by the key of the installation. */
async function openIdentity(database: Database) {
  const sealed = sealedKeys(masterKeyRing([{ id: 'test', key: MASTER_KEY }]))
  const keyRing = new KeyRing(
    async () => (await signingKeyStore(database).list()).map(sealed.open),
    systemClock,
  )
  await keyRing.reload()
  const mint = jwtMint({ keyRing, issuer: ISSUER, audience: AUDIENCE, clock: systemClock })
  const sessions = liveSessions({
    records: sessionStore(database, noTrail),
    spread: async () => undefined,
    clock: systemClock,
  })

  const signIn = async (options: SignInOptions = {}): Promise<SignedIn> => {
    const userId = options.userId ?? uuidv7()
    await database.many(sql`
      insert into gateway.users (id, email, status, platform_role)
      values (${userId}, ${`${userId}@example.com`}, 'validated', ${options.superAdmin ? 'superAdmin' : null})
      on conflict (id) do nothing`)
    const expiresAt = new Date(Date.now() + (options.expiresInSeconds ?? 3600) * 1000)
    const owner = { userId, clientId: options.clientId ?? 'local-client-id', expiresAt }
    const { sessionId } = await sessions.start({ ...owner, anonymous: false })
    const jwt = mint({ ...owner, sessionId, scopes: options.scopes ?? resourceScopes })
    return { userId, sessionId, jwt, headers: { authorization: `Bearer ${jwt}` } }
  }
  return { keyRing, mint, signIn }
}

/** A server behind the gateway that is not ours: a test says what it does. */
export interface Upstream extends AsyncDisposable {
  url: string
  /** Raw headers of the requests that came, newest last. */
  seen: {
    method: string
    url: string
    raw: string[]
    headers: Record<string, string | string[] | undefined>
  }[]
}

/** Starts such a server; without `listener` it answers what it was sent. */
export async function startUpstream(listener?: RequestListener): Promise<Upstream> {
  const seen: Upstream['seen'] = []
  const server = createServer((request, response) => {
    seen.push({
      method: request.method ?? '',
      url: request.url ?? '',
      raw: request.rawHeaders,
      headers: request.headers,
    })
    if (listener !== undefined) return listener(request, response)
    response.setHeader('content-type', 'application/json')
    request.resume()
    request.on('end', () => response.end(JSON.stringify({ method: request.method, url: request.url })))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
