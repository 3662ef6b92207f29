import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openCache } from '@platform/cache'
import { migrate } from '@platform/database'
import { createApp, setRequestState } from '@platform/http'
import { randomBase62, systemClock } from '@platform/kernel'
import { createLogger, type Logger } from '@platform/logging'
import { templateDatabase, testDatabase } from '@platform/testing'
import { sessionStore } from '../sessions/session-store.ts'
import { liveSessions } from '../sessions/sessions.ts'
import { getJwks } from '../signing-keys/get-jwks.ts'
import { generateSigningKey } from '../signing-keys/key-material.ts'
import { KeyRing } from '../signing-keys/key-ring.ts'
import type { PrivateJwk } from '../signing-keys/signing-key.ts'
import { wireUsers } from '../users/wire-users.ts'
import { oidcSettings } from './oidc-settings.ts'
import { wireOidc } from './wire-oidc.ts'

export const ADMIN = { email: 'ada@example.com', password: 'correct horse battery' }
const CONSOLE = 'http://console.localhost:3000'
const SIZES: Record<string, { kty: 'RSA' | 'EC'; size: number }> = {
  RS256: { kty: 'RSA', size: 2048 },
  ES384: { kty: 'EC', size: 384 },
}

/** A database with the schema of the gateway. */
export async function identityDatabase() {
  return testDatabase(
    await templateDatabase('gateway identity', (database) =>
      migrate(database, 'gateway', new URL('../../migrations/', import.meta.url)),
    ),
  )
}

export type IdentityServer = Awaited<ReturnType<typeof startIdentityServer>>

interface Options {
  database: Awaited<ReturnType<typeof identityDatabase>>
  port?: number
  alg?: string
  attemptsLimited?: boolean
  keys?: PrivateJwk[]
}

/** Accounts, OIDC server and sign-in pages on a port, over real sessions and keys, without the rest of the gateway. */
export async function startIdentityServer(options: Options) {
  const { database, alg = 'RS256' } = options
  const stack = new AsyncDisposableStack()
  const server = stack.adopt(createServer(), closed)
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const origin = `http://localhost:${port}`

  const keys = options.keys ?? [await newKey(alg)]
  const parts = await wire(options, origin, keys)
  stack.use(parts.cache)
  server.on('request', parts.listener)
  await parts.accounts.ensureAdministrator()

  return {
    ...parts,
    origin,
    port,
    keys,
    database,
    consoleSignIn: `${CONSOLE}/signin`,
    /** A new key signs from now on; the old ones stay published. */
    async rotate() {
      keys.unshift(await newKey(alg))
      await parts.keyRing.reload()
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

async function wire(options: Options, origin: string, keys: PrivateJwk[]) {
  const { database, attemptsLimited = false } = options
  const clock = systemClock
  const log = createLogger({ level: process.env.LOG_LEVEL ?? 'silent' })
  const load = async () => keys.map((jwk, index) => ({ kid: jwk.kid, alg: jwk.alg, signs: index === 0, jwk }))
  const keyRing = new KeyRing(load, clock)
  await keyRing.reload()
  const sessions = liveSessions({ records: sessionStore(database), spread: async () => undefined, clock })
  const settings = oidcSettings({
    apiUrl: `${origin}/v2`,
    consoleUrls: [CONSOLE],
    studioClientId: 'local-client-id',
    accessTokenSeconds: 3600,
    cookieSecret: 'a secret of the tests 0123456789',
  })
  const accounts = wireUsers({
    database,
    clock,
    settings: { ...ADMIN, superAdminEmails: [], withSample: false },
    signOutEverywhere: (userId) => oidc.signOutEverywhere(userId),
    requestSample: async () => undefined,
  })
  const cache = await openCache('memory:')
  const needs = { database, cache, keyRing, sessions, settings, attemptsLimited, clock, log }
  const oidc = wireOidc({ ...needs, users: accounts.users, passwords: accounts.passwords })
  const app = createApp([getJwks({ keyRing }), ...accounts.routes, ...oidc.routes], oidc.mounts)
  return { ...needs, accounts, jobs: [...accounts.jobs, ...oidc.jobs], listener: identified(app, log) }
}

/** What the pipeline of the gateway does before its own routes, as far as these tests need it. */
const identified =
  (app: RequestListener, log: Logger): RequestListener =>
  (request, response) => {
    const isInternal = request.headers['x-test-internal'] === 'yes'
    setRequestState(request, {
      correlationId: randomBase62(20),
      clientIp: '127.0.0.1',
      startedAt: Date.now(),
      log,
      principal: isInternal ? { kind: 'internal' } : undefined,
      route: undefined,
      deadlineAt: Date.now() + 60_000,
    })
    app(request, response)
  }

async function closed(server: Server): Promise<void> {
  const stopped = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await stopped
}

const newKey = (alg: string): Promise<PrivateJwk> => {
  const { kty, size } = SIZES[alg] ?? { kty: 'RSA' as const, size: 2048 }
  return generateSigningKey({ kty, size, alg, rotationMs: 0, publishAheadMs: 0, keepRotatedMs: 0 })
}
