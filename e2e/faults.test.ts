import { randomUUID } from 'node:crypto'
import { freshDirectory, type Platform, processTree, startAllInOne } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call, feed, newWorkspace, saveAutomation } from './support/caller.ts'
import { commandOf } from './support/processes.ts'
import { startNats, startRedis, type TestServer } from './support/servers.ts'
import { separateShape, servers } from './support/shapes.ts'

const EVENTS = 500

/** One automation that answers each event with another one: its effect, seen in the feed. */
const effect = {
  slug: 'effect',
  name: 'effect',
  when: { events: ['fault.cause'] },
  do: [{ emit: { event: 'fault.effect', payload: { n: '{{payload.n}}' } } }],
}

/**
 * Emits `EVENTS` events one by one from several callers, again until each is accepted; refusals must be 503 or broken
 * connections.
 */
async function emitAll(
  origin: string,
  token: string,
  workspaceId: string,
  disturb: () => Promise<void>,
): Promise<void> {
  const queue = Array.from({ length: EVENTS }, (_, n) => n)
  let accepted = 0
  const disturbance = vi
    .waitUntil(() => accepted > EVENTS / 5, { timeout: 60_000, interval: 5 })
    .then(disturb)
  const worker = async () => {
    for (let n = queue.shift(); n !== undefined; n = queue.shift()) {
      const body = { events: [{ type: 'fault.cause', payload: { n } }] }
      const answer = await call(origin, 'POST', `/v2/workspaces/${workspaceId}/events`, {
        token,
        body,
        timeoutMs: 20_000,
      })
      if (answer.status === 200) accepted += 1
      else {
        expect([503, 504], answer.text).toContain(answer.status)
        queue.push(n)
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  await disturbance
}

/**
 * Every accepted event once in the feed, every effect once; a caller that got no answer may have been served twice,
 * an event never.
 */
async function expectEachOnce(origin: string, token: string, workspaceId: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const causes = await feed(origin, token, workspaceId, 'types=fault.cause')
      const effects = await feed(origin, token, workspaceId, 'types=fault.effect')
      expect(new Set(causes.map(({ payload }) => payload.n)).size).toBe(EVENTS)
      expect(new Set(causes.map(({ id }) => id)).size).toBe(causes.length)
      expect(effects.length).toBe(causes.length)
      expect(new Set(effects.map(({ id }) => id)).size).toBe(effects.length)
    },
    { timeout: 90_000, interval: 1000 },
  )
}

async function prepared(platform: Platform): Promise<{ token: string; workspaceId: string }> {
  const { token } = await administrator(platform)
  const workspaceId = await newWorkspace(platform.origin, token)
  await saveAutomation(platform.origin, token, workspaceId, effect)
  return { token, workspaceId }
}

describe.runIf(separateShape !== undefined)('on separate processes', () => {
  let platform: Platform
  let nats: TestServer
  let redis: TestServer & { flushAll(): Promise<void> }
  beforeAll(async () => {
    nats = await startNats()
    redis = await startRedis()
    const shape = separateShape
    if (shape === undefined || servers === undefined) throw new Error('The servers are not there.')
    platform = await shape.start({ BROKER_URL: nats.url, CACHE_URL: redis.url })
  })
  afterAll(async () => {
    await platform?.[Symbol.asyncDispose]()
    await Promise.all([nats?.stop(), redis?.stop()])
  })

  test.each(['runtime-1', 'events'])(
    'kill -9 of %s in the middle of 500 events loses nothing and doubles nothing',
    async (name) => {
      const { token, workspaceId } = await prepared(platform)
      await emitAll(platform.origin, token, workspaceId, async () => {
        await platform.process(name).stop('SIGKILL')
        await new Promise((resolve) => setTimeout(resolve, 1000))
        await platform.restart(name)
      })
      await expectEachOnce(platform.origin, token, workspaceId)
    },
  )

  test('NATS stopped, its data deleted, started again: nothing lost, nothing doubled', async () => {
    const { token, workspaceId } = await prepared(platform)
    await emitAll(platform.origin, token, workspaceId, async () => {
      await nats.kill()
      await nats.wipe()
      await new Promise((resolve) => setTimeout(resolve, 1000))
      await nats.start()
    })
    await expectEachOnce(platform.origin, token, workspaceId)
  })

  test('Redis FLUSHALL under load: no caller notices', async () => {
    const { token } = await prepared(platform)
    const end = Date.now() + 4000
    const statuses = new Map<number, number>()
    const worker = async () => {
      while (Date.now() < end) {
        const { status } = await call(platform.origin, 'GET', '/v2/me', { token })
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
      }
    }
    const flush = async () => {
      for (let round = 0; round < 5; round += 1) {
        await redis.flushAll()
        await new Promise((resolve) => setTimeout(resolve, 500))
      }
    }
    await Promise.all([...Array.from({ length: 8 }, worker), flush()])
    expect([...statuses.keys()]).toEqual([200])
  })

  test('the gateway answers 503 in time while the runtime is down, and serves again when it is back', async () => {
    const { token, workspaceId } = await prepared(platform)
    const hook = () =>
      call(platform.origin, 'POST', `/v2/workspaces/${workspaceId}/webhooks/effect`, { token, body: {} })
    await Promise.all(['runtime-1', 'runtime-2'].map((name) => platform.process(name).stop('SIGKILL')))
    const started = performance.now()
    const answer = await hook()
    expect(answer).toMatchObject({ status: 503, json: { error: 'ServiceUnavailable' } })
    expect(answer.headers.get('retry-after')).toMatch(/^\d+$/)
    expect(performance.now() - started).toBePrompt(3000)
    await Promise.all(['runtime-1', 'runtime-2'].map((name) => platform.restart(name)))
    await vi.waitFor(async () => expect((await hook()).status).toBe(404), { timeout: 10_000, interval: 200 })
  })

  test('readiness is 400 with errors after a store is stopped, and names it', async () => {
    const key = { 'x-platform-api-key': platform.internalApiKey }
    await redis.kill()
    await vi.waitFor(
      async () => {
        const answer = await call(platform.origin, 'GET', '/v2/readiness', { headers: key })
        expect(answer.status).toBe(400)
        expect(answer.json.services['api-gateway'].errors).toContainEqual(
          expect.objectContaining({ error: 'CacheError', module: 'sessionsRedis', driver: 'redis' }),
        )
      },
      { timeout: 40_000, interval: 1000 },
    )
    await redis.start()
  })
})

describe('on embedded drivers', () => {
  test('a kill -9 of the whole platform in the middle of 500 events loses nothing and doubles nothing', async () => {
    const directory = freshDirectory('platform-')
    await using platform = await startAllInOne({}, directory)
    const { token, workspaceId } = await prepared(platform)
    const accepted: number[] = []
    const emitUntilGone = async () => {
      for (let n = 0; n < EVENTS; n += 1) {
        const body = { events: [{ type: 'fault.cause', payload: { n } }] }
        const answer = await call(platform.origin, 'POST', `/v2/workspaces/${workspaceId}/events`, {
          token,
          body,
        }).catch(() => undefined)
        if (answer?.status !== 200) return
        accepted.push(n)
      }
    }
    const emitting = emitUntilGone()
    await vi.waitUntil(() => accepted.length > 100, { timeout: 30_000, interval: 2 })
    await platform.process('all-in-one').stop('SIGKILL')
    await emitting
    await platform.restart('all-in-one')
    await vi.waitFor(
      async () => {
        const causes = await feed(platform.origin, token, workspaceId, 'types=fault.cause')
        const effects = await feed(platform.origin, token, workspaceId, 'types=fault.effect')
        const found = new Set(causes.map(({ payload }) => payload.n))
        expect(accepted.filter((n) => !found.has(n))).toEqual([])
        expect(effects.length).toBe(causes.length)
        expect(new Set(effects.map(({ payload }) => payload.n)).size).toBe(effects.length)
      },
      { timeout: 60_000, interval: 1000 },
    )
  })

  test(
    'a frozen PostgreSQL is 503 with Retry-After within 3 s, never 401, and everything works again ' +
      'without a restart',
    async () => {
      await using platform = await startAllInOne()
      const { token, workspaceId } = await prepared(platform)
      const postgres = processTree(platform.process('all-in-one').pid).filter((pid) =>
        /postgres/.test(commandOf(pid)),
      )
      expect(postgres.length).toBeGreaterThan(3)
      const requests = (): Promise<{ status: number; ms: number; retryAfter: string | null }>[] =>
        [
          ['GET', `/v2/workspaces/${workspaceId}`, undefined],
          ['POST', `/v2/workspaces/${workspaceId}/events`, { events: [{ type: `t.${randomUUID()}` }] }],
          ['GET', `/v2/workspaces/${workspaceId}/events`, undefined],
          ['POST', '/v2/login/anonymous', undefined],
        ].map(async ([method, path, body]) => {
          const started = performance.now()
          const answer = await call(platform.origin, method as string, path as string, {
            ...(path === '/v2/login/anonymous' ? {} : { token }),
            body,
            timeoutMs: 10_000,
          })
          return {
            status: answer.status,
            ms: performance.now() - started,
            retryAfter: answer.headers.get('retry-after'),
          }
        })
      for (const pid of postgres) process.kill(pid, 'SIGSTOP')
      try {
        for (let round = 0; round < 4; round += 1) {
          for (const { status, ms, retryAfter } of await Promise.all(requests())) {
            expect(status).toBe(503)
            expect(retryAfter).toMatch(/^\d+$/)
            expect(ms).toBePrompt(3000)
          }
        }
        expect((await call(platform.origin, 'GET', '/')).status).toBe(200)
        expect((await call(platform.origin, 'GET', '/oidc/jwks')).status).toBe(200)
      } finally {
        for (const pid of postgres) process.kill(pid, 'SIGCONT')
      }
      await vi.waitFor(
        async () => {
          for (const { status } of await Promise.all(requests())) expect(status).toBe(200)
        },
        { timeout: 15_000, interval: 500 },
      )
    },
  )
})
