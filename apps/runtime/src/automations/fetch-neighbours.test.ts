import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startOutside } from '../../test/outside.ts'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

const CALLS = 40
const ROUNDS = 5
const HOSTS = 100

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime({ env: { FETCH_ALLOWED_HOSTS: '127.0.0.0/8', FETCH_MAX_RETRIES: '0' } })
})
afterAll(() => runtime[Symbol.asyncDispose]())

/** Milliseconds that a call takes; of several rounds the one in which the machine was busy with nothing else. */
async function usualMs(workspace: TestWorkspace): Promise<number> {
  const rounds: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const times: number[] = []
    for (let call = 0; call < CALLS; call += 1) {
      const from = performance.now()
      expect(await (await runtime.call(workspace.id, 'quick')).json()).toBe('Hello')
      times.push(performance.now() - from)
    }
    rounds.push(times.toSorted((a, b) => a - b)[CALLS / 2] ?? 0)
  }
  return Math.min(...rounds)
}

test('a hundred hosts that never answer slow no run of another workspace, and hold up no fetch of it', {
  retry: 2,
  timeout: 60_000,
}, async () => {
  await using silent = await startOutside(() => undefined, '0.0.0.0')
  await using honest = await startOutside()
  const neighbour = await runtime.workspace({
    quick: { when: { endpoint: true }, output: 'Hello' },
    call: {
      when: { endpoint: true },
      do: [{ fetch: { url: honest.url, output: 'out' } }],
      output: '{{out}}',
    },
  })
  // Each address of this machine is a host of its own.
  const hosts = Array.from({ length: HOSTS }, (_, n) => `http://127.0.1.${n + 1}:${silent.port}/`)
  const fetch = { url: '{{item}}', timeout: '20s' }
  const noisy = await runtime.workspace({
    main: {
      when: { endpoint: true },
      do: [{ repeat: { on: hosts, batch: { size: HOSTS }, do: [{ fetch }] } }],
    },
  })
  await usualMs(neighbour)
  const quiet = await usualMs(neighbour)
  const stopping = new AbortController()
  const calling = runtime.call(noisy.id, 'main', { signal: stopping.signal }).catch(() => undefined)
  await vi.waitFor(() => expect(silent.got).toHaveLength(HOSTS), { timeout: 10_000, interval: 20 })
  const busy = await usualMs(neighbour)
  expect(await (await runtime.call(neighbour.id, 'call')).json()).toBe('outside')
  expect(silent.got).toHaveLength(HOSTS)
  stopping.abort()
  await calling
  console.info(`a call takes ${quiet.toFixed(2)} ms, beside a hundred hosts ${busy.toFixed(2)} ms`)
  expect(busy / quiet).toBeLessThan(1.5)
})
