import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as contracts from '@platform/contracts'
import { type Endpoint, type ResourceScope, resourceScopes } from '@platform/contracts'
import { createApp, respond, route, setRequestState } from '@platform/http'
import { createLogger } from '@platform/logging'
import { userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addressOf, endpointsOf, methodsOf } from '../../test/operations.ts'

/**
 * Endpoints that need no resource scope, by beginning of their path, and why. Whatever is none of these must name
 * one: an endpoint that is added without a decision fails here.
 */
const exempt: [path: RegExp, why: string][] = [
  [/^\/$/, 'the status of the platform is public'],
  [/^\/docs(\/|$)|^\/v2\/openapi\.json$/, 'the description of the API is public'],
  [/^\/v2\/versions$/, 'the versions of the API are public'],
  [/^\/v2\/versions\/:version\/callers$/, 'operators, by role'],
  [/^\/oidc\//, 'the OIDC server has rules of its own'],
  [/^\/signin/, 'pages for browsers'],
  [/^\/v2\/me$/, 'who one is: every session may ask'],
  [/^\/v2\/user(\/|$)/, 'the account itself: the session decides, and access tokens are refused'],
  [/^\/v2\/(login|signup)(\/|$)/, 'starts a session'],
  [/^\/v2\/users(\/|$)/, 'reading people, and administration of users by role'],
  [/^\/v2\/contacts$/, 'reading people'],
  [/^\/v2\/photos\//, 'pictures of people are public'],
  [/^\/v2\/orgs\/:orgSlug\/auth\//, 'administration by role'],
  [/^\/v2\/platform\//, 'operators, by role or the internal key'],
  [/^\/v2\/readiness$/, 'operators, by role or the internal key'],
]

/** The rest, each with its scope, written out: a changed scope is a changed contract. */
const scopes: Record<string, ResourceScope> = {
  listWorkspaces: 'workspaces:read',
  getWorkspace: 'workspaces:read',
  createWorkspace: 'workspaces:write',
  patchWorkspace: 'workspaces:write',
  deleteWorkspace: 'workspaces:write',
  listAutomations: 'workspaces:read',
  getAutomation: 'workspaces:read',
  createAutomation: 'workspaces:write',
  patchAutomation: 'workspaces:write',
  deleteAutomation: 'workspaces:write',
  listFunctions: 'workspaces:read',
  syncFunctions: 'workspaces:write',
  getFunction: 'workspaces:read',
  putFunction: 'workspaces:write',
  patchFunction: 'workspaces:write',
  deleteFunction: 'workspaces:write',
  getSecrets: 'workspaces:read',
  putSecrets: 'workspaces:write',
  patchSecrets: 'workspaces:write',
  deleteSecret: 'workspaces:write',
  runFunction: 'webhooks',
  listRuns: 'workspaces:read',
  getRun: 'workspaces:read',
  getRunState: 'workspaces:read',
  cancelRun: 'workspaces:write',
  retryRun: 'workspaces:write',
  replayRun: 'workspaces:write',
  forkRun: 'workspaces:write',
  bulkRuns: 'workspaces:write',
  getBulkRuns: 'workspaces:read',
  listSchedules: 'workspaces:read',
  runScheduleNow: 'workspaces:write',
  listApiKeys: 'workspaces:read',
  explainApiKey: 'workspaces:read',
  createApiKey: 'workspaces:write',
  updateApiKey: 'workspaces:write',
  deleteApiKey: 'workspaces:write',
  restoreWorkspace: 'workspaces:write',
  listEvents: 'events:read',
  streamEvents: 'events:read',
  streamRun: 'workspaces:read',
  getEventReader: 'events:read',
  listSubscriptions: 'events:read',
  getSubscription: 'events:read',
  listSubscriptionDeliveries: 'events:read',
  getSubscriptionDelivery: 'events:read',
  createSubscription: 'events:write',
  patchSubscription: 'events:write',
  deleteSubscription: 'events:write',
  rotateSubscriptionSecret: 'events:write',
  pauseSubscription: 'events:write',
  resumeSubscription: 'events:write',
  replaySubscription: 'events:write',
  redeliverSubscriptionDelivery: 'events:write',
  testSubscription: 'events:write',
  searchEvents: 'events:read',
  searchAllEvents: 'events:read',
  workspaceUsage: 'events:read',
  emitEvents: 'events:write',
  callWebhook: 'webhooks',
  testAutomation: 'webhooks',
  runTests: 'webhooks',
}

const endpoints = endpointsOf(contracts)
const isExempt = ({ path }: Endpoint) => exempt.some(([pattern]) => pattern.test(path))
const scoped = endpoints.filter((endpoint) => !isExempt(endpoint))
const cases = scoped.flatMap((endpoint) =>
  methodsOf(endpoint).map((method) => ({
    id: endpoint.id,
    method,
    path: endpoint.path,
    scope: scopes[endpoint.id],
  })),
)

let scopesOfCaller: readonly string[] = []
let server: ReturnType<typeof createServer>
let origin: string
beforeAll(async () => {
  const routes = endpoints.map((contract) =>
    route(
      { ...contract, permission: undefined },
      {
        admit: async () => undefined,
        handle: async () => respond('passed', { contentType: 'text/plain' }),
      },
    ),
  )
  const app = createApp(routes)
  server = createServer((request, response) => {
    setRequestState(request, {
      correlationId: 'scopes-test',
      clientIp: '127.0.0.1',
      startedAt: Date.now(),
      log: createLogger({ level: 'silent' }),
      principal: userPrincipal({ scopes: scopesOfCaller, superAdmin: true }),
      route: undefined,
      deadlineAt: Date.now() + 10_000,
    })
    app(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

async function ask(method: string, path: string, having: readonly string[]) {
  scopesOfCaller = having
  const response = await fetch(origin + addressOf(path), {
    method: method.toUpperCase(),
    headers: { 'content-type': 'application/json' },
    ...(method === 'get' ? {} : { body: '{}' }),
  })
  return { status: response.status, text: await response.text() }
}

describe('resource scopes', () => {
  test('every endpoint names its scope or stands on the list of those that need none', () => {
    expect(scoped.map(({ id, scope }) => [id, scope]).toSorted()).toEqual(Object.entries(scopes).toSorted())
    expect(endpoints.filter(isExempt).filter(({ scope }) => scope !== undefined)).toEqual([])
    for (const [pattern, why] of exempt)
      expect(
        endpoints.some(({ path }) => pattern.test(path)),
        `${pattern}: ${why}`,
      ).toBe(true)
  })

  test.each(cases)('$method $path needs $scope', async ({ method, path, scope }) => {
    for (const having of [resourceScopes.filter((other) => other !== scope), []]) {
      const { status, text } = await ask(method, path, having)
      expect([status, JSON.parse(text)]).toMatchObject([
        403,
        { error: 'InsufficientScope', details: { scope } },
      ])
    }
    expect((await ask(method, path, [scope ?? ''])).status).not.toBe(403)
  })

  test('a scope is a whole word: no beginning, no other case, no wildcard stands for it', async () => {
    for (const having of [
      'workspaces',
      'workspaces:',
      'WORKSPACES:READ',
      'workspaces:*',
      '*',
      'workspaces:readx',
      '',
    ])
      expect((await ask('get', '/v2/workspaces', [having])).status, having).toBe(403)
  })
})
