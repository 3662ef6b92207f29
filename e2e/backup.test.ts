import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { uuidv7 } from '@platform/kernel'
import {
  freshDirectory,
  type Platform,
  repositoryRoot,
  spawnPlatform,
  startAllInOne,
  startSeparate,
} from '@platform/testing/platform'
import { describe, expect, test, vi } from 'vitest'
import { administrator, call, feed, newWorkspace, saveAutomation } from './support/caller.ts'
import { startNats, startPostgres, startRedis } from './support/servers.ts'
import { servers } from './support/shapes.ts'

/** Types `ops …` as an operator with this environment; answers what was shown. Rejects unless it ends with 0. */
function typeOps(args: readonly string[], env: Record<string, string>): Promise<string> {
  const main = join(repositoryRoot, 'apps/ops/src/main.ts')
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [main, ...args],
      { env: { PATH: process.env.PATH, ...env }, maxBuffer: 10_000_000 },
      (error, out, err) => {
        if (error === null) resolve(out)
        else reject(new Error(`ops ${args.join(' ')} ended with ${error.code}: ${err}${out}`))
      },
    )
  })
}

/** One automation that answers each event with another one: its effect, seen in the feed. */
const effect = {
  slug: 'effect',
  name: 'effect',
  when: { events: ['drill.cause'] },
  do: [{ emit: { event: 'drill.effect', payload: { cause: '{{payload.cause}}' } } }],
}

/** Callers that emit one event after the other until they are told to stop, and note what was accepted. */
class Callers {
  readonly accepted = new Set<string>()
  readonly #running: Promise<void>[]
  #isOver = false

  constructor(origin: string, token: string, workspaceId: string) {
    this.#running = Array.from({ length: 4 }, () => this.#emit(origin, token, workspaceId))
  }

  async stop(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#running)
  }

  async #emit(origin: string, token: string, workspaceId: string): Promise<void> {
    while (!this.#isOver) {
      const id = uuidv7()
      const body = { events: [{ id, type: 'drill.cause', payload: { cause: id } }] }
      const path = `/v2/workspaces/${workspaceId}/events`
      const answer = await call(origin, 'POST', path, { token, body }).catch(() => undefined)
      if (answer?.status === 200) this.accepted.add(id)
      await pause(10)
    }
  }
}

interface Place {
  platform: Platform
  /** Where its stores are, for an operator. */
  env: Record<string, string>
}

/** Loses everything and starts anew on what was restored; told by who knows the shape. */
type Disaster = (restore: (env: Record<string, string>) => Promise<void>) => Promise<Place>

async function drill({ platform, env }: Place, disaster: Disaster): Promise<void> {
  const file = join(freshDirectory('backups-'), 'platform.backup')
  const { jwt, token } = await administrator(platform)
  const workspaceId = await newWorkspace(platform.origin, token)
  await saveAutomation(platform.origin, token, workspaceId, effect)

  const callers = new Callers(platform.origin, token, workspaceId)
  await vi.waitUntil(() => callers.accepted.size > 200, { timeout: 60_000, interval: 20 })
  const before = new Set(callers.accepted)
  console.info(await typeOps(['backup', 'create', file], { ...env, BACKUP_PASSPHRASE: 'drill drill drill' }))
  const meanwhile = new Set(callers.accepted)
  await vi.waitUntil(() => callers.accepted.size > meanwhile.size + 50, { timeout: 60_000, interval: 20 })

  await Promise.all(platform.processes.map((one) => one.stop('SIGKILL')))
  await callers.stop()
  const lost = [...callers.accepted].filter((id) => !meanwhile.has(id))
  const opening = { BACKUP_PASSPHRASE: 'drill drill drill' }
  expect(await typeOps(['backup', 'verify', file], opening)).toContain('is whole, read in')
  const restored = await disaster(async (empty) => {
    console.info(await typeOps(['backup', 'restore', file], { ...empty, ...opening }))
  })

  await using _ = restored.platform
  const { origin } = restored.platform
  // A session and a token of before: the signing keys open.
  for (const credential of [jwt, token])
    expect((await call(origin, 'GET', `/v2/workspaces/${workspaceId}`, { token: credential })).status).toBe(
      200,
    )
  const id = uuidv7()
  const body = { events: [{ id, type: 'drill.cause', payload: { cause: id } }] }
  expect((await call(origin, 'POST', `/v2/workspaces/${workspaceId}/events`, { token, body })).status).toBe(
    200,
  )
  await vi.waitFor(
    async () => {
      const ids = (await feed(origin, token, workspaceId, 'types=drill.cause')).map((event) => event.id)
      expect(new Set(ids).size).toBe(ids.length)
      expect([...before, id].filter((one) => !ids.includes(one))).toEqual([])
      // Of what came later nothing, be it that a broker still has it.
      expect(lost.filter((one) => ids.includes(one))).toEqual([])
      const causes = (await feed(origin, token, workspaceId, 'types=drill.effect')).map(
        ({ payload }) => payload.cause,
      )
      expect(causes.toSorted()).toEqual(ids.toSorted())
    },
    { timeout: 120_000, interval: 1000 },
  )
  expect(await typeOps(['audit', 'verify'], restored.env)).toContain('The audit trail is whole')
  await typeOps(['readiness'], restored.env)
}

const operatorEnv = (platform: Platform): Record<string, string> => ({
  NODE_ENV: 'test',
  API_URL: `${platform.origin}/v2`,
  INTERNAL_API_KEY: platform.internalApiKey,
  SECRETS_MASTER_KEYS: platform.env.SECRETS_MASTER_KEYS ?? '',
})

describe('a platform that is backed up under load, killed, and loses its disk', () => {
  test('all in one: nothing accepted before the backup is lost, nor an empty database taken for it', async () => {
    const directory = freshDirectory('platform-')
    const platform = await startAllInOne({}, directory)
    const env = { ...operatorEnv(platform), DATA_DIRECTORY: directory }
    await drill({ platform, env }, async (restore) => {
      rmSync(join(directory, 'postgres'), { recursive: true, force: true })
      const refused = spawnPlatform('all-in-one', 'apps/all-in-one/src/main.ts', platform.env)
      await once(refused.child, 'close')
      expect(refused.output()).toMatch(
        /The database is empty, and this platform has lived in another \(.{36}\), as .+\/installation knows: restore/,
      )
      expect(refused.child.exitCode).toBe(1)
      await restore(env)
      await platform.restart('all-in-one')
      return { platform, env }
    })
    rmSync(directory, { recursive: true, force: true })
  })

  test.runIf(servers !== undefined)(
    'separate processes: the same on an empty PostgreSQL, while NATS still has what came later',
    async () => {
      const [postgres, nats, redis] = await Promise.all([startPostgres(), startNats(), startRedis()])
      const files = freshDirectory('files-')
      try {
        const stores = { databaseUrl: postgres.url, brokerUrl: nats.url, cacheUrl: redis.url }
        const platform = await startSeparate(stores, { FILES_URL: `file:${files}` })
        const env = { ...operatorEnv(platform), DATABASE_URL: postgres.url, FILES_URL: `file:${files}` }
        await drill({ platform, env }, async (restore) => {
          await postgres.kill()
          await postgres.wipe()
          await redis.flushAll()
          await postgres.start()
          await restore(env)
          await Promise.all(platform.processes.map(({ name }) => platform.restart(name)))
          return { platform, env }
        })
      } finally {
        await Promise.all([postgres.stop(), nats.stop(), redis.stop()])
      }
    },
  )
})
