import type { Platform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { administrator, newWorkspace, saveAutomation } from '../support/caller.ts'
import { complaintsAbout, complaintsOf } from '../support/complaints.ts'
import { isInstalled, startProxy } from '../support/proxies.ts'
import { separateShape } from '../support/shapes.ts'
import { clientOf, directClient, SteadyLoad } from '../support/steady-load.ts'

/** How often each process is restarted, and how many requests a second there are meanwhile. */
const { REPEATS = '3', RESTART_RATE = '100' } = process.env
const SLOW_MS = 5000
/** What a rollout waits after a process is ready: both load balancers have seen it by then. */
const SETTLED_MS = 1500
const STOP_MS = 30_000
const kinds = ['gateway', 'workspaces', 'runtime', 'events']

const isReady = separateShape !== undefined && isInstalled('haproxy')

describe.runIf(isReady)('a rolling restart', () => {
  let platform: Platform
  /** What processes complained about: it explains a request that failed. */
  const complaints: string[] = []
  let haproxy: Awaited<ReturnType<typeof startProxy>>
  beforeAll(async () => {
    if (separateShape === undefined) return
    const counts = { gateway: 2, workspaces: 2, runtime: 2, events: 2 }
    // As in production, with the default of SHUTDOWN_DELAY_MS that this is about.
    platform = await separateShape.start(
      // Load is not shed: this machine may be busy with other things, and restarts are what is tested.
      { NODE_ENV: 'production', ACCOUNT_VALIDATION_METHOD: 'manual', GATEWAY_MAX_LAG_MS: '10000' },
      { counts },
    )
    haproxy = await startProxy(
      'haproxy',
      platform.origins.map((origin) => `127.0.0.1:${new URL(origin).port}`),
    )
  })
  afterAll(async () => {
    await haproxy?.[Symbol.asyncDispose]()
    await platform?.[Symbol.asyncDispose]()
  })

  /** Stops a process as an orchestrator does and starts it again; answers its exit code and how long stopping took. */
  async function restart(name: string) {
    const startedAt = performance.now()
    const code = await platform.process(name).stop('SIGTERM', STOP_MS + 10_000)
    const stopMs = performance.now() - startedAt
    complaints.push(...complaintsOf(platform.process(name)))
    await platform.restart(name)
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS))
    return { name, code, stopMs }
  }

  test(`of every process, ${REPEATS} times at ${RESTART_RATE} requests a second, fails no request`, {
    timeout: 60_000 + Number(REPEATS) * 120_000,
  }, async () => {
    const { token } = await administrator(platform)
    const workspaceId = await newWorkspace(platform.origin, token)
    const hook = { slug: 'answer', name: 'answer', when: { endpoint: true }, do: [], output: 'here' }
    await saveAutomation(platform.origin, token, workspaceId, hook)
    const base = `/v2/workspaces/${workspaceId}`
    const emitted = JSON.stringify({ events: [{ type: 'rolling.event', payload: {} }] })
    const asks = [
      { method: 'POST', path: `${base}/webhooks/answer`, token, slowMs: SLOW_MS },
      { method: 'GET', path: '/v2/me', token },
      { method: 'GET', path: base, token },
      { method: 'POST', path: `${base}/webhooks/answer`, token, body: '{}' },
      { method: 'POST', path: `${base}/events`, token, body: emitted },
      { method: 'GET', path: `${base}/automations`, token },
      { method: 'GET', path: base, token },
      { method: 'POST', path: `${base}/webhooks/answer`, token, body: '{}' },
      { method: 'POST', path: `${base}/events`, token, body: emitted },
      { method: 'GET', path: '/', token },
    ] as const
    using direct = directClient(platform.origins)
    const clients = [clientOf('haproxy', `http://127.0.0.1:${haproxy.port}`), direct]
    // Clients take turns; both ask everything.
    const next = (n: number) => asks[(n >> 1) % asks.length] ?? asks[0]
    const load = new SteadyLoad(Number(RESTART_RATE), clients, next)
    const restarts: Awaited<ReturnType<typeof restart>>[] = []
    try {
      for (let round = 0; round < Number(REPEATS); round += 1) {
        // One of each kind at a time: the other of its kind serves.
        for (const which of ['1', '2'])
          restarts.push(...(await Promise.all(kinds.map((kind) => restart(`${kind}-${which}`)))))
      }
    } finally {
      await load.stop()
    }

    const slowestStopMs = Math.round(Math.max(...restarts.map(({ stopMs }) => stopMs)))
    console.log(
      `${restarts.length} restarts, ${load.served} requests served, ${load.slowServed} of them slow, ` +
        `${load.misses.length} not; slowest stop ${slowestStopMs} ms`,
    )
    for (const kind of kinds)
      for (const which of ['1', '2']) complaints.push(...complaintsOf(platform.process(`${kind}-${which}`)))
    console.log(complaintsAbout(load.misses, complaints).join('\n'))
    expect(load.misses).toEqual([])
    expect(load.slowServed).toBeGreaterThan(0)
    expect(restarts.filter(({ code, stopMs }) => code !== 0 || stopMs > STOP_MS)).toEqual([])
    expect(restarts).toHaveLength(Number(REPEATS) * 8)
  })
})
