import type { IncomingMessage, RequestListener } from 'node:http'
import { readConfig } from '@platform/config'
import { correlationIdOf, refuseAmbiguous, sendFailure, setRequestState } from '@platform/http'
import { openIdempotency } from '@platform/idempotency'
import { Failure, StoreBudget, withStoreBudget } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Resources, Service } from '@platform/service'
import { createClient } from '@platform/service-client'
import { startTestService, TEST_INTERNAL_KEY, type TestServiceOptions } from '@platform/testing'
import { z } from 'zod'
import type { IdentifiedRequest } from '../src/authentication/identified-request.ts'
import type { HashCost } from '../src/credentials/passwords/password-hash.ts'
import { openIdentity } from '../src/index.ts'
import { CHEAP_HASH } from './cheap-hash.ts'
import { signsPeopleIn } from './signed-in.ts'

export type TestIdentity = Awaited<ReturnType<typeof startIdentity>>

/** Identity on a real database, called as through the gateway; nothing is behind it. */
export async function startIdentity(options: TestServiceOptions & { hashCost?: HashCost } = {}) {
  const { env, hashCost = CHEAP_HASH, ...given } = options
  const service = await startTestService(withHashCost(hashCost), {
    ...given,
    env: {
      SAMPLE_WORKSPACE: 'false',
      ADMIN_EMAIL: 'root@example.com',
      ADMIN_PASSWORD: 'a password of the tests',
      ...env,
    },
  })
  return {
    ...service,
    ...(await signsPeopleIn(service.database)),
    databaseUrl: service.env.DATABASE_URL ?? '',
    internalHeaders: { 'x-platform-api-key': TEST_INTERNAL_KEY },
    client: (headers: Record<string, string> = {}) => createClient(service.url, headers),
  }
}

const testEnv = z.object({
  HOST: z.string(),
  PORT: z.coerce.number(),
  DATABASE_URL: z.string(),
  CACHE_URL: z.string(),
  BROKER_URL: z.string(),
  INTERNAL_API_KEY: z.string(),
  TRUSTED_PROXY_HOPS: z.coerce.number().default(0),
})

/** Identity as a service of its own: the steps of the gateway's pipeline that it has a part in, and its routes. */
const withHashCost = (hashCost: HashCost): Service => ({
  name: 'api-gateway',
  async build(env, resources, context) {
    const config = readConfig(testEnv, env)
    const stores = await openStores(config, resources)
    await using stack = new AsyncDisposableStack()
    const idempotency = await openIdempotency({ ...stores, pepper: config.INTERNAL_API_KEY })
    const identity = await openIdentity(
      env,
      { ...stores, opened: stack, workspacesUrl: 'http://127.0.0.1:9', tuning: { hashCost } },
      context,
    )
    const opened = stack.move()
    return {
      host: config.HOST,
      port: config.PORT,
      internalApiKey: config.INTERNAL_API_KEY,
      readinessCacheTtlMs: 1000,
      ...identity.part,
      routeServices: { idempotency: idempotency.store, rateLimiter: identity.rateLimiter },
      jobs: [...identity.part.jobs, ...idempotency.jobs],
      front: (app) => asThroughTheGateway(app, identity, config.TRUSTED_PROXY_HOPS > 0, context.log),
      closing: () => opened.disposeAsync(),
      started: async () => void (await identity.ensureAdministrator()),
    }
  },
})

/** The same with passwords that are cheap to check. */
export const identityService = withHashCost(CHEAP_HASH)

const openStores = async (config: z.output<typeof testEnv>, resources: Resources) => ({
  database: await resources.database(config.DATABASE_URL),
  cache: await resources.cache(config.CACHE_URL),
  broker: await resources.broker(config.BROKER_URL, config.DATABASE_URL),
  outbox: await resources.outbox(config.BROKER_URL, config.DATABASE_URL),
})

function asThroughTheGateway(
  app: RequestListener,
  identity: Awaited<ReturnType<typeof openIdentity>>,
  isBehindProxy: boolean,
  log: Logger,
): RequestListener {
  return async (request, response) => {
    const call = requestOf(request, isBehindProxy, log)
    try {
      refuseAmbiguous(request, response)
      await identity.identify(call)
      identity.refuseForgedRequest(call)
      setRequestState(request, call)
      withStoreBudget(new StoreBudget(), () => app(request, response))
    } catch (error) {
      if (error instanceof Failure && error.name === 'AuthenticationError' && call.byCookie)
        identity.forgetCookie(response)
      sendFailure(response, error, log, call.correlationId)
    }
  }
}

function requestOf(request: IncomingMessage, isBehindProxy: boolean, log: Logger) {
  const { headers, method, url = '/' } = request
  const startedAt = Date.now()
  const forwarded = isBehindProxy ? headers['x-forwarded-for'] : undefined
  return {
    request,
    log,
    startedAt,
    correlationId: correlationIdOf(headers['x-correlation-id'], headers.traceparent),
    clientIp: String(forwarded ?? request.socket.remoteAddress),
    deadlineAt: startedAt + 60_000,
    path: url.split('?')[0] ?? '/',
    isSafe: method === 'GET' || method === 'HEAD' || method === 'OPTIONS',
    forwarding: undefined,
    route: undefined,
    authentication: undefined,
    principal: undefined,
    run: undefined,
    byCookie: false,
    foreignBearer: false,
    credentialMs: 0,
  } as IdentifiedRequest & Parameters<typeof setRequestState>[1]
}
