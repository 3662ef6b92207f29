import { freshDirectory, startAllInOne } from '@platform/testing/platform'
import { expect, test, vi } from 'vitest'
import { administrator, call, feed, newWorkspace, saveAutomation } from './support/caller.ts'
import { askedAgain, countedOnce, countingAutomations, startSlowOutside } from './support/counting-runs.ts'

const RUNS = 60
const KILLS = 3

test('kill -9 in the middle of runs: each counts and emits once, and asks again with the same key only', async () => {
  await using outside = await startSlowOutside()
  await using platform = await startAllInOne(
    { FETCH_ALLOWED_HOSTS: '127.0.0.0/8', RATE_LIMIT_DISABLED: 'true' },
    freshDirectory('platform-'),
  )
  const { origin } = platform
  const { token } = await administrator(platform)
  const workspaceId = await newWorkspace(origin, token)
  for (const automation of countingAutomations(outside.url))
    await saveAutomation(origin, token, workspaceId, automation)
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
  const told = async (type: string) =>
    (await ended(type)).map(({ payload }) => payload).sort((one, other) => one.n - other.n)
  const expected = (of: (n: number) => object) => Array.from({ length: RUNS }, (_, n) => of(n))
  expect(await told('killed.done')).toEqual(expected(countedOnce))
  expect(await told('killed.half')).toEqual(expected((n) => ({ n: String(n), count: 2 })))
  expect(await told('killed.answer')).toEqual(expected((n) => ({ n: String(n) })))
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
