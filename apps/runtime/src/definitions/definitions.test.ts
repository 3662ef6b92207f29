import { getServiceReadiness } from '@platform/contracts'
import { openDatabase, sql } from '@platform/database'
import { buildRecord, insertEvents } from '@platform/outbox'
import { testDatabaseUrl } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  createStandIn,
  runtimeDatabaseUrl,
  startRuntime,
  type TestRuntime,
  type TestWorkspace,
} from '../testing.ts'

let one: TestRuntime
let two: TestRuntime

beforeAll(async () => {
  const databaseUrl = await runtimeDatabaseUrl()
  one = await startRuntime({ databaseUrl })
  two = await startRuntime({ databaseUrl })
})
afterAll(async () => {
  await two[Symbol.asyncDispose]()
  await one[Symbol.asyncDispose]()
})

const saying = (output: unknown) => ({ main: { when: { endpoint: true }, output } })
const ask = async (runtime: TestRuntime, { id }: TestWorkspace) =>
  await (await runtime.call(id, 'main')).json()
const within = (expectation: () => Promise<void>) => vi.waitFor(expectation, { timeout: 1000, interval: 20 })

describe('a saved automation', () => {
  test('runs on every instance within a second, also when no announcement came', async () => {
    const workspace = await one.workspace(saying('old'))
    expect([await ask(one, workspace), await ask(two, workspace)]).toEqual(['old', 'old'])
    await workspace.save(saying('new'))
    await within(async () =>
      expect([await ask(one, workspace), await ask(two, workspace)]).toEqual(['new', 'new']),
    )
  })

  test('runs at once where it is announced', async () => {
    const workspace = await one.workspace(saying('old'))
    expect(await ask(two, workspace)).toBe('old')
    await workspace.save(saying('new'))
    const payload = { slug: 'main', automation: { slug: 'main', name: 'main' } }
    const event = buildRecord({
      type: 'workspaces.automations.updated',
      payload,
      source: { workspaceId: workspace.id },
    })
    await one.database.many(insertEvents([event]))
    await vi.waitFor(async () => expect(await ask(two, workspace)).toBe('new'), {
      timeout: 500,
      interval: 10,
    })
  })

  test('does not run any more once its workspace is deleted', async () => {
    const workspace = await one.workspace(saying('here'))
    expect(await ask(one, workspace)).toBe('here')
    await workspace.delete()
    await within(async () =>
      expect(await ask(one, workspace)).toMatchObject({ error: 'ObjectNotFoundError' }),
    )
  })

  test('of a workspace that was not there a moment ago runs', async () => {
    const workspace = await one.workspace(saying('here'))
    await one.database.many(
      sql`update workspaces.stand_in set deleted = true where workspace_id = ${workspace.id}`,
    )
    expect(await ask(one, workspace)).toMatchObject({ error: 'ObjectNotFoundError' })
    await one.database.many(
      sql`update workspaces.stand_in set deleted = false where workspace_id = ${workspace.id}`,
    )
    await within(async () => expect(await ask(one, workspace)).toBe('here'))
  })
})

describe('a runtime that starts before the workspaces service', () => {
  test('answers 503 until the definitions are there, and says so when asked whether it is ready', async () => {
    const databaseUrl = await testDatabaseUrl()
    await using early = await startRuntime({ databaseUrl, env: { READINESS_CACHE_TTL_MS: '0' } })
    const response = await early.call('w0123456789abcde', 'main')
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).not.toBeNull()
    const report = await early.internal(getServiceReadiness).catch((error: unknown) => error)
    expect(JSON.stringify(report)).toContain('automations')

    await using handle = await openDatabase(databaseUrl, { allowWeakDurability: true })
    await createStandIn(handle)
    const workspace = await early.workspace(saying('ready'))
    await within(async () => expect(await ask(early, workspace)).toBe('ready'))
  })
})
