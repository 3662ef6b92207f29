import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ADMIN, type Platform } from '@platform/testing/platform'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call, feed, newWorkspace } from './support/caller.ts'
import { shapes, sharedPlatform } from './support/shapes.ts'

const nineClaims = ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'prismeaiSessionId', 'scope', 'sub']

const greet = `slug: greet
name: greet
when:
  endpoint: true
do:
  - set:
      name: greeting
      value: Hello {{body.name}}
output:
  greeting: '{{greeting}}'
`
const onOrder = {
  slug: 'on-order',
  name: 'on-order',
  when: { events: ['order.placed'] },
  do: [{ emit: { event: 'order.confirmed', payload: { order: '{{payload.order}}' } } }],
}
const failing = {
  slug: 'fails',
  name: 'fails',
  when: { endpoint: true },
  do: [{ comment: 'fine' }, { 'no-such-automation': {} }],
}

describe.each(shapes)('the main job on $name', (shape) => {
  let platform: Platform
  let token: string
  let jwt: string
  let workspaceId: string
  const origin = () => platform.origin

  beforeAll(async () => {
    platform = await sharedPlatform(shape)
    ;({ token, jwt } = await administrator(platform))
  })

  test('GET / answers without a credential', async () => {
    const answer = await call(origin(), 'GET', '/')
    expect(answer.json).toMatchObject({ status: 'ok', name: 'api-gateway' })
  })

  test('an anonymous session has a JWT with the nine claims that any library verifies', async () => {
    const answer = await call(origin(), 'POST', '/v2/login/anonymous')
    expect(answer.json).toMatchObject({
      userId: expect.any(String),
      sessionId: expect.any(String),
      token: expect.any(String),
    })
    const keys = createRemoteJWKSet(new URL(`${origin()}/oidc/jwks`))
    const { payload, protectedHeader } = await jwtVerify(answer.json.token, keys, {
      audience: `${origin()}/v2`,
      issuer: `${origin()}/oidc`,
    })
    expect(Object.keys(payload).sort()).toEqual(nineClaims)
    expect(protectedHeader.typ).toBe('at+jwt')
    expect(payload.prismeaiSessionId).toBe(answer.json.sessionId)

    const me = await call(origin(), 'GET', '/v2/me', { token: answer.json.token })
    expect(me.json).toMatchObject({ id: answer.json.userId, sessionId: answer.json.sessionId })
    const refused = await call(origin(), 'POST', '/v2/workspaces', {
      token: answer.json.token,
      body: { name: 'no' },
    })
    expect(refused).toMatchObject({ status: 403 })
  })

  test('a person who signed in has a JWT that works as Bearer and as cookie', async () => {
    const bearer = await call(origin(), 'GET', '/v2/me', { token: jwt })
    const cookie = await call(origin(), 'GET', '/v2/me', { headers: { cookie: `access-token=${jwt}` } })
    expect(bearer.json).toMatchObject({ email: 'admin@example.com', platformRole: 'superAdmin' })
    expect(cookie.json).toEqual(bearer.json)
  })

  test('an access token works where a JWT does, but not to make another', async () => {
    expect((await call(origin(), 'GET', '/v2/me', { token })).status).toBe(200)
    const body = { name: 'second', expiresAt: new Date(Date.now() + 60_000).toISOString() }
    expect((await call(origin(), 'POST', '/v2/user/accessTokens', { token, body })).status).toBe(403)
  })

  test('a workspace takes automations as JSON and as YAML', async () => {
    workspaceId = await newWorkspace(origin(), token)
    const path = `/v2/workspaces/${workspaceId}/automations`
    const yaml = await call(origin(), 'POST', path, {
      token,
      raw: greet,
      headers: { 'content-type': 'application/yaml' },
    })
    const json = await call(origin(), 'POST', path, { token, body: onOrder })
    const broken = await call(origin(), 'POST', path, { token, body: failing })
    expect([yaml.status, json.status, broken.status]).toEqual([200, 200, 200])
    expect(broken.json.warnings).toMatchObject([{ path: expect.stringContaining('do[1]') }])
  })

  test('a URL trigger answers the output of its automation', async () => {
    const answer = await call(origin(), 'POST', `/v2/workspaces/${workspaceId}/webhooks/greet`, {
      token,
      body: { name: 'Ada' },
    })
    expect(answer).toMatchObject({ status: 200, json: { greeting: 'Hello Ada' } })
  })

  test('an emitted event triggers an automation whose event shares its correlation id', async () => {
    const body = { events: [{ type: 'order.placed', payload: { order: 42 } }] }
    const emitted = await call(origin(), 'POST', `/v2/workspaces/${workspaceId}/events`, { token, body })
    expect(emitted.json.result).toMatchObject([{ type: 'order.placed' }])
    await vi.waitFor(
      async () => {
        const events = await feed(
          origin(),
          token,
          workspaceId,
          'types=order.placed,order.confirmed,runtime.automations.executed',
        )
        const orders = events.filter(({ type }) => type.startsWith('order.'))
        const executed = events.filter(
          ({ type, payload }) => type === 'runtime.automations.executed' && payload.slug === 'on-order',
        )
        expect(orders.map(({ type }) => type)).toEqual(['order.confirmed', 'order.placed'])
        expect(orders.map(({ payload }) => payload)).toEqual([{ order: 42 }, { order: 42 }])
        expect(executed).toHaveLength(1)
        expect(new Set([...orders, ...executed].map(({ source }) => source.correlationId)).size).toBe(1)
        expect(events.some(({ payload }) => payload.slug === 'greet')).toBe(true)
      },
      { timeout: 15_000, interval: 100 },
    )
  })

  test('an automation that fails leaves an error event naming automation, instruction and reason', async () => {
    const answer = await call(origin(), 'POST', `/v2/workspaces/${workspaceId}/webhooks/fails`, {
      token,
      body: {},
    })
    expect(answer).toMatchObject({ status: 400, json: { error: 'InvalidInstructionError' } })
    await vi.waitFor(
      async () => {
        const [error] = await feed(origin(), token, workspaceId, 'types=error')
        expect(error.payload).toMatchObject({
          type: 'ObjectNotFoundError',
          details: { automationSlug: 'fails' },
        })
        expect(error.payload.details.instruction).toContain('do[1]')
      },
      { timeout: 15_000, interval: 100 },
    )
  })

  test('what happened to a run is found by the id that its answer names', async () => {
    const runs = `/v2/workspaces/${workspaceId}/runs`
    const failed = await call(origin(), 'POST', `/v2/workspaces/${workspaceId}/webhooks/fails`, {
      token,
      body: {},
    })
    const runId = failed.headers.get('x-platform-run-id')
    const run = await call(origin(), 'GET', `${runs}/${runId}`, { token })
    expect(run.json, run.text).toMatchObject({
      id: runId,
      automationSlug: 'fails',
      status: 'failed',
      correlationId: failed.headers.get('x-correlation-id'),
      error: { automationSlug: 'fails', instruction: expect.stringContaining('do[1]') },
    })
    const listed = await call(origin(), 'GET', `${runs}?status=failed&limit=1`, { token })
    expect(listed.json.runs).toMatchObject([{ id: runId }])
    const inV3 = await call(origin(), 'GET', `/v3/workspaces/${workspaceId}/runs?automation=on-order`, {
      token,
    })
    expect(inV3.json.results, inV3.text).toMatchObject([
      { status: 'succeeded', trigger: { value: 'order.placed' } },
    ])
    const again = await call(origin(), 'POST', `${runs}/${runId}/retry`, { token })
    expect(again.json.run, again.text).toMatchObject({ origin: { runId, kind: 'retry' } })
    expect((await call(origin(), 'POST', `${runs}/${runId}/cancel`, { token })).status).toBe(409)
    expect((await call(origin(), 'GET', runs)).status).toBe(401)
  })

  test('readiness shows all four services with their real drivers, to those who may see it', async () => {
    const report = await call(origin(), 'GET', '/v2/readiness', { token })
    expect(report.json, report.text).toMatchObject({ status: 'ready' })
    expect(Object.keys(report.json.services).sort()).toEqual([
      'api-gateway',
      'events',
      'runtime',
      'workspaces',
    ])
    const byKey = await call(origin(), 'GET', '/v2/readiness?services=events', {
      headers: { 'x-platform-api-key': platform.internalApiKey },
    })
    expect(Object.keys(byKey.json.services)).toEqual(['events'])
    expect((await call(origin(), 'GET', '/v2/readiness?services=nope', { token })).status).toBe(400)
    expect((await call(origin(), 'GET', '/v2/readiness')).status).toBe(401)
    const anonymous = await call(origin(), 'POST', '/v2/login/anonymous')
    expect((await call(origin(), 'GET', '/v2/readiness', { token: anonymous.json.token })).status).toBe(403)
  })

  test('what helm test runs in a cluster does the same job', async () => {
    const { email: ADMIN_EMAIL, password: ADMIN_PASSWORD } = ADMIN
    const env = { GATEWAY_URL: origin(), API_URL: `${origin()}/v2`, ADMIN_EMAIL, ADMIN_PASSWORD }
    const script = 'deploy/helm/platform/files/main-job.mjs'
    const { stdout } = await promisify(execFile)(process.execPath, [script], { env })
    expect(stdout).toMatch(/The main job works\.\n$/)
  })

  test('the sample workspace hello is there', async () => {
    await vi.waitFor(
      async () => {
        const body = { name: 'you' }
        const answer = await call(origin(), 'POST', '/v2/workspaces/slug:hello/webhooks/greet', { body })
        expect(answer.status, answer.text).toBe(200)
        expect(answer.text).toContain('you')
      },
      { timeout: 15_000, interval: 200 },
    )
  })
})
