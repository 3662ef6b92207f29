import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Platform, repositoryRoot, startSeparate } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Receiver, startReceiver } from '../packages/tracing/test/testing.ts'
import { administrator, call, feed, newWorkspace, saveAutomation } from './support/caller.ts'
import { startPostgres, type TestServer } from './support/servers.ts'

/** Answers each event with another one, so that one request is seen in all services. */
const echo = {
  slug: 'echo',
  name: 'echo',
  when: { events: ['seen.cause'] },
  do: [{ emit: { event: 'seen.effect', payload: {} } }],
}

const SPAN_KIND_SERVER = 2
const SPAN_KIND_CLIENT = 3
const SPAN_KIND_CONSUMER = 5

let postgres: TestServer
let receiver: Receiver
let platform: Platform
let token: string
let workspaceId: string

beforeAll(async () => {
  postgres = await startPostgres()
  receiver = await startReceiver()
  platform = await startSeparate(
    { databaseUrl: postgres.url, brokerUrl: 'postgres:', cacheUrl: 'memory:' },
    { LOG_LEVEL: 'debug', OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url },
  )
  token = (await administrator(platform)).token
  workspaceId = await newWorkspace(platform.origin, token)
  await saveAutomation(platform.origin, token, workspaceId, echo)
})

afterAll(async () => {
  await platform?.[Symbol.asyncDispose]()
  await receiver?.[Symbol.asyncDispose]()
  await postgres?.stop()
})

interface Line {
  msg: string
  correlationId?: string
  [field: string]: unknown
}

/** Lines a process logged. */
const linesOf = (name: string): Line[] =>
  platform
    .process(name)
    .output()
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line)

const answered = (name: string, correlationId: string) =>
  linesOf(name).filter((line) => line.msg === 'request answered' && line.correlationId === correlationId)

const emit = (headers: Record<string, string>) =>
  call(platform.origin, 'POST', `/v2/workspaces/${workspaceId}/events`, {
    token,
    headers,
    body: { events: [{ type: 'seen.cause', payload: { secret: 'hunter2' } }] },
  })

describe('one request', () => {
  test('has one id: in its answer, the lines of each process, its events and what they caused', async () => {
    const id = `seen-${randomUUID()}`
    const answer = await emit({ 'x-correlation-id': id })
    expect([answer.status, answer.headers.get('x-correlation-id')]).toEqual([200, id])

    await vi.waitFor(
      () => {
        expect(answered('gateway-1', id)).toMatchObject([
          {
            level: 'info',
            service: 'api-gateway',
            method: 'POST',
            route: '/v2/workspaces/:workspaceId/events{/*rest}',
            status: 200,
            ms: expect.any(Number),
            bytes: expect.any(Number),
            principal: 'accessToken',
            apiVersion: 'v2',
            upstream: platform.env.EVENTS_API_URL,
            traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
          },
        ])
        expect(answered('events', id)).toMatchObject([
          { level: 'debug', service: 'events', route: '/v2/workspaces/:workspaceId/events', status: 200 },
        ])
      },
      { timeout: 10_000 },
    )
    expect(answered('events', id)[0]?.traceId).toBe(answered('gateway-1', id)[0]?.traceId)

    const seen = await vi.waitFor(
      async () => {
        const events = await feed(platform.origin, token, workspaceId, 'types=seen.cause,seen.effect')
        const mine = events.filter(({ source }) => source.correlationId === id)
        expect(mine.map(({ type }) => type).toSorted()).toEqual(['seen.cause', 'seen.effect'])
        return mine
      },
      { timeout: 30_000, interval: 500 },
    )
    expect(seen).toHaveLength(2)
  })

  test('leaves no value of its path, query or body in any line', async () => {
    const secret = `s${randomUUID().replaceAll('-', '')}`
    await call(platform.origin, 'GET', `/v2/workspaces/${secret}?token=${secret}`, { token })
    await call(platform.origin, 'GET', `/nowhere/${secret}`)
    const id = `seen-${randomUUID()}`
    await emit({ 'x-correlation-id': id })
    await vi.waitFor(() => expect(answered('events', id)).toHaveLength(1), { timeout: 10_000 })
    for (const { output } of platform.processes) {
      expect(output()).not.toContain(secret)
      expect(output()).not.toContain('hunter2')
      expect(output()).not.toContain(token)
    }
  })

  test('is one trace through the gateway, the service, its database and what it caused', async () => {
    const traceId = randomUUID().replaceAll('-', '')
    const callerSpan = 'b7ad6b7169203331'
    const answer = await emit({ traceparent: `00-${traceId}-${callerSpan}-01` })
    expect(answer.headers.get('x-correlation-id')).toBe(traceId)

    const spans = await vi.waitFor(
      () => {
        const mine = receiver.spans.filter((span) => span.traceId === traceId)
        const found = (service: string, kind: number) =>
          mine.find((span) => span.service === service && span.kind === kind)
        const [gateway, forwarded, events] = [
          found('api-gateway', SPAN_KIND_SERVER),
          found('api-gateway', SPAN_KIND_CLIENT),
          found('events', SPAN_KIND_SERVER),
        ]
        expect(gateway).toMatchObject({
          name: 'POST /v2/workspaces/:workspaceId/events{/*rest}',
          parentSpanId: callerSpan,
          attributes: { 'http.response.status_code': 200 },
        })
        expect(forwarded?.parentSpanId).toBe(gateway?.spanId)
        expect(events?.parentSpanId).toBe(forwarded?.spanId)
        const statements = mine.filter(
          ({ attributes, parentSpanId }) =>
            attributes['db.system.name'] === 'postgresql' && parentSpanId === events?.spanId,
        )
        expect(statements.length).toBeGreaterThan(0)
        expect(mine.filter(({ kind }) => kind === SPAN_KIND_CONSUMER).length).toBeGreaterThan(0)
        return mine
      },
      { timeout: 30_000, interval: 250 },
    )
    const told = JSON.stringify(spans)
    expect(told).not.toContain('hunter2')
    expect(told).not.toContain(workspaceId)
    expect(told).not.toContain(token)
  })
})

describe('the dashboard and the alerts', () => {
  const read = (path: string) => readFileSync(`${repositoryRoot}${path}`, 'utf8')

  /** Names of metrics in PromQL. */
  const metricsIn = (text: string) =>
    new Set(text.match(/\b(?:platform|process|nodejs)_[a-z0-9_]+(?=[\s{[),/]|$)/gm) ?? [])

  /** Names on the pages of all processes, parts of histograms included. */
  async function scraped(): Promise<Set<string>> {
    const origins = [
      platform.origin,
      platform.env.WORKSPACES_API_URL,
      platform.env.EVENTS_API_URL,
      platform.env.RUNTIME_API_URL?.split(',')[0],
    ]
    const names = new Set<string>()
    for (const origin of origins) {
      const headers = { authorization: `Bearer ${platform.internalApiKey}` }
      const page = await call(origin ?? '', 'GET', '/metrics', { headers })
      expect(page.status).toBe(200)
      for (const [, name = ''] of page.text.matchAll(/^# TYPE (\S+) (?!histogram|summary)/gm)) names.add(name)
      for (const [, name = ''] of page.text.matchAll(/^# TYPE (\S+) (?:histogram|summary)/gm))
        for (const part of ['_bucket', '_sum', '_count']) names.add(name + part)
    }
    return names
  }

  test('ask for nothing that the platform does not show', async () => {
    const names = await scraped()
    const dashboard = JSON.parse(read('deploy/grafana/platform.json')) as {
      panels: { title: string; targets?: { expr: string }[] }[]
    }
    const queries = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
    expect(queries.length).toBeGreaterThan(30)
    for (const query of queries) expect(metricsIn(query).size, query).toBeGreaterThan(0)
    const asked = metricsIn([...queries, read('deploy/prometheus/rules.yaml')].join('\n'))
    expect([...asked].filter((name) => !names.has(name))).toEqual([])
  })

  test('are what Prometheus understands', ({ skip }) => {
    try {
      execFileSync('promtool', ['--version'], { stdio: 'ignore' })
    } catch (error) {
      if (process.env.REQUIRE_SERVERS === '1') throw error
      console.warn('\n*** SKIPPED: promtool is not installed: run scripts/servers/promtool.sh install. ***\n')
      skip()
    }
    const check = (...args: string[]) =>
      execFileSync('promtool', args, { cwd: repositoryRoot, encoding: 'utf8' })
    expect(check('check', 'rules', 'deploy/prometheus/rules.yaml')).toMatch(/SUCCESS: \d+ rules found/)
    expect(check('check', 'config', '--syntax-only', 'deploy/prometheus/scrape.yaml')).toContain('SUCCESS')
  })

  test('are read with the internal key only', async () => {
    expect((await call(platform.origin, 'GET', '/metrics')).status).toBe(401)
    const headers = { authorization: `Bearer ${token}` }
    expect((await call(platform.origin, 'GET', '/metrics', { headers })).status).toBe(401)
  })
})
