import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Platform, startAllInOne } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { administrator, call, newWorkspace, saveAutomation } from '../support/caller.ts'
import { startLoad } from '../support/load.ts'

const NOISY = Number(process.env.NOISY_WORKSPACES ?? '20')
const SECONDS = Number(process.env.NOISY_SECONDS ?? '15')
/** URL runs of the quiet workspace a second. */
const RATE = 20
/** Events that each noisy workspace triggers its automation with. */
const QUEUED = 200
/** What is asked too seldom to have a 99th percentile worth its name is compared from here on. */
const LEAST_MS = 25

let platform: Platform
let token: string
const silent = createServer(() => undefined)

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  platform = await startAllInOne({
    RUNTIME_PROCESSES: '1',
    RATE_LIMIT_DISABLED: 'false',
    FETCH_ALLOWED_HOSTS: '127.0.0.0/8',
  })
  token = (await administrator(platform)).token
}, 120_000)
afterAll(async () => {
  await platform?.[Symbol.asyncDispose]()
  silent.closeAllConnections()
  silent.close()
})

/** What strangers write, by what it takes more of than its share. */
const noises = (): Record<string, object[]> => ({
  'endless loops': [
    { repeat: { until: 1e9, do: [{ set: { name: 'n', value: '{% ({{n}} or 0) + 1 %}' } }] } },
  ],
  'texts of 50 MB': [
    { set: { name: 'text', value: 'x'.repeat(1000) } },
    { repeat: { until: 40, do: [{ set: { name: 'text', value: '{{text}}{{text}}' } }] } },
  ],
  'catastrophic patterns': [
    { set: { name: 'text', value: `${'a'.repeat(50_000)}!` } },
    {
      repeat: {
        until: 1000,
        do: [{ set: { name: 'found', value: '{% {{text}} matches regex("(a+)+$") %}' } }],
      },
    },
  ],
  'hosts that never answer': [
    {
      all: Array.from({ length: 20 }, () => ({
        fetch: { url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}/` },
      })),
    },
  ],
  'events without end': [
    {
      repeat: { until: 1e6, do: [{ emit: { event: 'more.noise', payload: { text: 'y'.repeat(20_000) } } }] },
    },
  ],
})

async function latencies(path: string): Promise<number[]> {
  const found: number[] = []
  const failed: number[] = []
  const load = startLoad(
    RATE,
    () => ({ origin: platform.origin, path, method: 'POST', token }),
    ({ status, startedAt, endedAt }) => {
      found.push(endedAt - startedAt)
      if (status !== 200) failed.push(status)
    },
  )
  await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000))
  await load.stop()
  expect(failed).toEqual([])
  return found.sort((one, other) => one - other)
}

const at = (sorted: readonly number[], share: number) => sorted[Math.floor(sorted.length * share)] ?? 0

describe(`${NOISY} noisy workspaces`, () => {
  test('at most double the time of a URL run of a quiet one, and none of its runs fails', async () => {
    const quiet = await newWorkspace(platform.origin, token)
    const greet = {
      slug: 'greet',
      name: 'greet',
      when: { endpoint: true },
      do: [{ set: { name: 'greeting', value: 'Hello' } }],
      output: '{{greeting}}',
    }
    await saveAutomation(platform.origin, token, quiet, greet)
    const path = `/v2/workspaces/${quiet}/webhooks/greet`
    await latencies(path)
    const alone = await latencies(path)

    const kinds = Object.entries(noises())
    for (let n = 0; n < NOISY; n += 1) {
      const workspaceId = await newWorkspace(platform.origin, token)
      const [name, instructions] = kinds[n % kinds.length] ?? ['', []]
      const noise = { slug: 'noise', name, when: { events: ['noise.cause'] }, do: instructions }
      await saveAutomation(platform.origin, token, workspaceId, noise)
      for (let sent = 0; sent < QUEUED; sent += 100) {
        const events = Array.from({ length: 100 }, () => ({ type: 'noise.cause', payload: {} }))
        const emitted = await call(platform.origin, 'POST', `/v2/workspaces/${workspaceId}/events`, {
          token,
          body: { events },
        })
        expect(emitted.status, emitted.text).toBe(200)
      }
    }
    const beside = await latencies(path)
    console.info(
      `p50 ${at(alone, 0.5).toFixed(1)} → ${at(beside, 0.5).toFixed(1)} ms, ` +
        `p99 ${at(alone, 0.99).toFixed(1)} → ${at(beside, 0.99).toFixed(1)} ms`,
    )
    expect(at(beside, 0.99)).toBeLessThan(2 * Math.max(LEAST_MS, at(alone, 0.99)))
  }, 600_000)
})
