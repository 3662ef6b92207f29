import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freshDirectory, startAllInOne } from '@platform/testing/platform'
import { expect, test, vi } from 'vitest'
import { administrator, call, feed, newWorkspace, saveAutomation } from './support/caller.ts'

const RUNS = 60
const KILLS = 3

interface Asked {
  readonly n: string
  readonly step: string
  readonly key: string
}

/** A server outside that takes its time, and remembers what it was asked. */
async function startSlowOutside() {
  const asked: Asked[] = []
  const answer = (request: IncomingMessage, response: ServerResponse) => {
    const { searchParams } = new URL(request.url ?? '', 'http://outside')
    const text = (name: string) => searchParams.get(name) ?? ''
    asked.push({ n: text('n'), step: text('step'), key: String(request.headers['idempotency-key']) })
    setTimeout(() => response.end(`${asked.length}`), 100 + Math.random() * 400)
  }
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    asked,
    url: `http://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Counts three times in the shared context, asks before each further count, the last time two at once. */
function countingAutomation(url: string) {
  const shown = '{{global[{{payload.key}}]}}'
  const count = { set: { name: 'global[{{payload.key}}]', value: `{% ${shown} + 1 %}` } }
  const tell = (event: string) => ({ emit: { event, payload: { n: '{{payload.n}}', count: shown } } })
  const ask = (step: string) => ({ fetch: { url, query: { n: '{{payload.n}}', step } } })
  return {
    slug: 'counting',
    name: 'counting',
    when: { events: ['killed.cause'] },
    do: [
      { set: { name: 'global[{{payload.key}}]', value: 0 } },
      count,
      ask('1'),
      count,
      tell('killed.half'),
      { all: [ask('2'), ask('3')] },
      count,
      tell('killed.done'),
    ],
  }
}

/** What was asked for the first step of a run after something that comes later was: its answer was kept by then. */
const askedAgain = (asked: readonly Asked[]): Asked[] =>
  asked.filter(
    ({ n, step }, index) =>
      step === '1' && asked.slice(0, index).some((before) => before.n === n && before.step !== '1'),
  )

test('kill -9 in the middle of runs: each counts and emits once, and asks again with the same key only', async () => {
  await using outside = await startSlowOutside()
  await using platform = await startAllInOne(
    { FETCH_ALLOWED_HOSTS: '127.0.0.0/8', RATE_LIMIT_DISABLED: 'true' },
    freshDirectory('platform-'),
  )
  const { origin } = platform
  const { token } = await administrator(platform)
  const workspaceId = await newWorkspace(origin, token)
  await saveAutomation(origin, token, workspaceId, countingAutomation(outside.url))
  const events = Array.from({ length: RUNS }, (_, n) => ({
    type: 'killed.cause',
    payload: { n: String(n), key: `count${n}` },
  }))
  const emitted = await call(origin, 'POST', `/v2/workspaces/${workspaceId}/events`, {
    token,
    body: { events },
  })
  expect(emitted.status, emitted.text).toBe(200)
  for (let kill = 1; kill <= KILLS; kill += 1) {
    const before = outside.asked.length
    await vi.waitUntil(() => outside.asked.length > before + RUNS / 6, { timeout: 60_000, interval: 5 })
    await platform.process('all-in-one').stop('SIGKILL')
    await platform.restart('all-in-one')
  }

  const ended = async (type: string) => await feed(platform.origin, token, workspaceId, `types=${type}`)
  await vi.waitFor(async () => expect((await ended('killed.done')).length).toBeGreaterThanOrEqual(RUNS), {
    timeout: 90_000,
    interval: 500,
  })
  const expected = (count: number) => Array.from({ length: RUNS }, (_, n) => `${n}: ${count}`).sort()
  const told = async (type: string) =>
    (await ended(type)).map(({ payload }) => `${payload.n}: ${payload.count}`).sort()
  expect(await told('killed.done')).toEqual(expected(3))
  expect(await told('killed.half')).toEqual(expected(2))
  const questions = new Set(outside.asked.map(({ n, step }) => `${n} ${step}`))
  expect(questions.size).toBe(RUNS * 3)
  expect(new Set(outside.asked.map(({ n, step, key }) => `${n} ${step} ${key}`)).size).toBe(RUNS * 3)
  // The runs were really interrupted, and what they had got was kept.
  expect(outside.asked.length).toBeGreaterThan(RUNS * 3)
  expect(askedAgain(outside.asked)).toEqual([])
})

/** The same for a request: it counts, asks, counts, asks, and answers how often it counted. */
function countingRequest(url: string) {
  const shown = '{{global[{{body.key}}]}}'
  const count = { set: { name: 'global[{{body.key}}]', value: `{% ${shown} + 1 %}` } }
  const ask = (step: string) => ({ fetch: { url, query: { n: '{{body.key}}', step } } })
  return {
    slug: 'requested',
    name: 'requested',
    when: { endpoint: true },
    durable: true,
    do: [
      { set: { name: 'global[{{body.key}}]', value: 0 } },
      count,
      ask('1'),
      count,
      ask('2'),
      count,
      { emit: { event: 'requested.done', payload: { n: '{{body.key}}' } } },
    ],
    output: { counted: shown },
  }
}

test('kill -9 in the middle of durable requests: who asks again with its key gets the answer of its run', async () => {
  await using outside = await startSlowOutside()
  await using platform = await startAllInOne(
    { FETCH_ALLOWED_HOSTS: '127.0.0.0/8', RATE_LIMIT_DISABLED: 'true' },
    freshDirectory('platform-'),
  )
  const { token } = await administrator(platform)
  const workspaceId = await newWorkspace(platform.origin, token)
  await saveAutomation(platform.origin, token, workspaceId, countingRequest(outside.url))
  const send = async (key: string) => {
    const response = await fetch(`${platform.origin}/v2/workspaces/${workspaceId}/webhooks/requested`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        'idempotency-key': `request-${key}`,
      },
      body: JSON.stringify({ key }),
    }).catch(() => undefined)
    return { status: response?.status ?? 0, body: response && ((await response.json()) as unknown) }
  }
  const keys = Array.from({ length: 20 }, (_, n) => `r${n}`)
  const first = Promise.all(keys.map(send))
  await vi.waitUntil(() => outside.asked.filter(({ step }) => step === '2').length > 3, {
    timeout: 60_000,
    interval: 5,
  })
  await platform.process('all-in-one').stop('SIGKILL')
  const lost = (await first).filter(({ status }) => status !== 200)
  expect(lost.length).toBeGreaterThan(3)
  await platform.restart('all-in-one')

  await vi.waitFor(
    async () => {
      const again = await Promise.all(keys.map(send))
      expect(again).toEqual(keys.map(() => ({ status: 200, body: { counted: 3 } })))
    },
    { timeout: 60_000, interval: 500 },
  )
  const done = await feed(platform.origin, token, workspaceId, 'types=requested.done')
  expect(done.map(({ payload }) => payload.n).sort()).toEqual(keys.toSorted())
  expect(new Set(outside.asked.map(({ n, step, key }) => `${n} ${step} ${key}`)).size).toBe(keys.length * 2)
  expect(askedAgain(outside.asked)).toEqual([])
})
