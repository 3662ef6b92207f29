import { getServiceReadiness } from '@platform/contracts'
import { openDatabase, sql } from '@platform/database'
import { buildRecord, defaultEventLimits, insertEvents } from '@platform/outbox'
import { testDatabaseUrl } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  createStandIn,
  runtimeDatabaseUrl,
  startRuntime,
  type TestRuntime,
  type TestWorkspace,
} from '../testing.ts'
import { stepCompiler } from './compile-steps.ts'
import type { LiveDefinition } from './compile-workspace.ts'
import { Definitions } from './definitions.ts'

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
const liveDefinition = {
  workspaceSlug: 'test',
  workspaceName: 'Test',
  config: null,
  automations: {},
}
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

  test('runs under the slug its workspace has now, and under no earlier one', async () => {
    const [renamed, successor] = [await one.workspace(saying('first')), await one.workspace(saying('second'))]
    const askSlug = async (slug: string) => await (await one.call(`slug:${slug}`, 'main')).json()
    const rename = (id: string, slug: string) =>
      one.database.many(sql`
        update workspaces.stand_in set workspace_slug = ${slug}, revision = revision + 1, touched_at = now()
        where workspace_id = ${id}`)
    expect(await askSlug(renamed.slug)).toBe('first')
    await rename(renamed.id, `${renamed.slug}-new`)
    await within(async () => expect(await askSlug(`${renamed.slug}-new`)).toBe('first'))
    expect(await askSlug(renamed.slug)).toMatchObject({ error: 'ObjectNotFoundError' })
    await rename(successor.id, renamed.slug)
    await within(async () => expect(await askSlug(renamed.slug)).toBe('second'))
  })

  test('that changed while it was read is read again, whoever tells of the change', async () => {
    for (const workspaceId of ['w0123456789abcde', undefined]) {
      const reads: ((revision: number) => void)[] = []
      const findById = (id: string) =>
        new Promise<LiveDefinition>((resolve) => {
          reads.push((revision) => resolve({ ...liveDefinition, workspaceId: id, revision }))
        })
      const definitions = new Definitions(
        { findById, findBySlug: findById },
        stepCompiler(defaultEventLimits),
        10,
      )
      const before = definitions.find('w0123456789abcde')
      definitions.invalidate(workspaceId)
      reads[0]?.(1)
      await before
      const after = definitions.find('w0123456789abcde')
      reads[1]?.(2)
      expect(await after).toMatchObject({ revision: 2 })
    }
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
