import { openDatabase, sql } from '@platform/database'
import { insertEvents } from '@platform/outbox'
import { type PlatformProcess, spawnPlatform } from '@platform/testing/platform'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { emittedEvent, startRuntime, type TestWorkspace } from '../../test/testing.ts'

const SOON = { timeout: 15_000, interval: 20 }
/** A takeover is done within 5 s; a busy machine gets as much again, which is still far less than a lease. */
const TAKEOVER = { timeout: 10_000, interval: 20 }
const LEASE = { RUN_LEASE_SECONDS: '60' }

const stack = new AsyncDisposableStack()
let killed: PlatformProcess
let workspace: TestWorkspace
let databaseUrl: string

beforeAll(async () => {
  const first = await startRuntime({ env: LEASE })
  const slow = { RATE_LIMIT_DISABLED: 'false', RATE_LIMIT_EMITS: '1', RATE_LIMIT_EMITS_BURST: '1' }
  const env = { ...first.env, ...LEASE, ...slow, LOG_LEVEL: 'info' }
  killed = spawnPlatform('runtime', 'apps/runtime/src/main.ts', env)
  stack.defer(async () => void (await killed.stop('SIGKILL')))
  workspace = await first.workspace({
    work: { when: { events: ['go'] }, do: Array.from({ length: 60 }, () => ({ emit: { event: 'step' } })) },
  })
  databaseUrl = first.env.DATABASE_URL ?? ''
  await first[Symbol.asyncDispose]()
  await killed.printed(/service is ready/)
})
afterAll(() => stack.disposeAsync())

test('a run whose worker is killed is done elsewhere before its lease is over, and seen by followers', async () => {
  await using database = await openDatabase(databaseUrl, { allowWeakDurability: true })
  const runs = () =>
    database.many(sql`select status, attempt, deaths from runtime.runs where workspace_id = ${workspace.id}`)
  await database.many(insertEvents([emittedEvent(workspace.id, 'go')]))
  await vi.waitFor(async () => expect(await runs()).toMatchObject([{ status: 'running' }]), SOON)

  await using second = await startRuntime({ env: LEASE, databaseUrl })
  expect(await runs()).toEqual([{ status: 'running', attempt: 1, deaths: 0 }])
  const [{ id } = { id: '' }] = await database.many<{ id: string }>(sql`
    select id from runtime.runs where workspace_id = ${workspace.id}`)
  const stream = await fetch(`${second.url}/v2/workspaces/${workspace.id}/runs/${id}/stream`, {
    headers: second.headersOf({ kind: 'internal' }),
  })
  await killed.stop('SIGKILL')
  await vi.waitFor(
    async () => expect(await runs()).toEqual([{ status: 'succeeded', attempt: 2, deaths: 1 }]),
    TAKEOVER,
  )
  const frames = (await stream.text()).split('\n\n').filter((frame) => frame.includes('event: '))
  expect(frames.at(-1)).toMatch(/event: end\ndata: .*"status":"succeeded"/)
  expect(frames.filter((frame) => frame.includes('event: end'))).toHaveLength(1)
}, 60_000)
