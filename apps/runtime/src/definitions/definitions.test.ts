import { getServiceReadiness } from '@platform/contracts'
import { openDatabase, sql } from '@platform/database'
import { StoreError } from '@platform/kernel'
import { defaultEventLimits, insertEvents } from '@platform/outbox'
import { testDatabaseUrl } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  createStandIn,
  emittedEvent,
  runtimeDatabaseUrl,
  startRuntime,
  type TestRuntime,
  type TestWorkspace,
} from '../../test/testing.ts'
import { TimeSlices } from '../automations/time-slices.ts'
import { automationCompiler } from './compile-automation.ts'
import { Definitions } from './definitions.ts'
import { LiveRevisions } from './live-revisions.ts'

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
const askPath = async (runtime: TestRuntime, { id }: TestWorkspace, path: string) =>
  await (await runtime.call(id, path)).json()
const ask = (runtime: TestRuntime, workspace: TestWorkspace) => askPath(runtime, workspace, 'main')
const liveWorkspace = {
  workspaceSlug: 'test',
  workspaceName: 'Test',
  config: null,
  automations: [],
  length: 0,
}
const nothingEarlier = {
  listEarlier: async () => [],
  findEarlier: async () => undefined,
  findFunction: async () => undefined,
  findPlace: async () => undefined,
}
const limits = { maxWorkspaces: 10, maxBytes: 1_000_000 }
const within = (expectation: () => Promise<void>) => vi.waitFor(expectation, { timeout: 1000, interval: 20 })

describe('a saved automation', () => {
  test('runs with the next call, on every instance, without a wait', { timeout: 60_000 }, async () => {
    const workspace = await one.workspace(saying('old'))
    const rounds = Array.from({ length: 100 }, (_, round) => round)
    for (const round of rounds) {
      await workspace.save({
        ...saying(round),
        [`new-${round}`]: { when: { endpoint: true }, output: round },
      })
      const said = await Promise.all([one, two].map((runtime) => ask(runtime, workspace)))
      const added = await Promise.all(
        [one, two].map((runtime) => askPath(runtime, workspace, `new-${round}`)),
      )
      expect([...said, ...added]).toEqual([round, round, round, round])
    }
  })

  test('runs with the next call while others call without a pause', { timeout: 60_000 }, async () => {
    const workspace = await one.workspace(saying(-1))
    const busy = new AbortController()
    const others = [one, two, one, two].map(async (runtime) => {
      while (!busy.signal.aborted) await ask(runtime, workspace)
    })
    for (let round = 0; round < 60; round += 1) {
      await workspace.save(saying(round))
      expect(await Promise.all([ask(one, workspace), ask(two, workspace)])).toEqual([round, round])
    }
    busy.abort()
    await Promise.all(others)
  })

  test('does not run any more once it is removed or disabled, and runs again when it is back', async () => {
    const workspace = await one.workspace(saying('here'))
    const gone = { error: 'ObjectNotFoundError' }
    for (let round = 0; round < 20; round += 1) {
      await workspace.save(saying(round))
      expect(await ask(two, workspace)).toBe(round)
      await workspace.save(round % 2 === 0 ? {} : { main: { ...saying('x').main, disabled: true } })
      expect(await ask(one, workspace)).toMatchObject(gone)
      expect(await ask(two, workspace)).toMatchObject(gone)
    }
  })

  test('calls another one as that was last saved', async () => {
    const calling = {
      main: { when: { endpoint: true }, do: [{ other: { output: 'said' } }], output: '{{said}}' },
    }
    const workspace = await one.workspace({ ...calling, other: { output: 0 } })
    for (let round = 1; round <= 20; round += 1) {
      await workspace.save({ ...calling, other: { output: round } })
      expect(await Promise.all([ask(one, workspace), ask(two, workspace)])).toEqual([round, round])
    }
  })

  test('is run by an event that comes after it was saved', async () => {
    const workspace = await one.workspace(saying('x'))
    for (let round = 0; round < 10; round += 1) {
      const said = { emit: { event: 'heard', payload: { round } } }
      await workspace.save({ [`on-${round}`]: { when: { events: ['told'] }, do: [said] } })
      await one.database.many(insertEvents([emittedEvent(workspace.id, 'told')]))
      await vi.waitFor(
        async () => {
          const heard = await one.events(workspace.id, 'heard')
          expect(heard.map(({ payload }) => payload)).toContainEqual({ round })
        },
        { timeout: 10_000, interval: 20 },
      )
    }
    expect(await one.events(workspace.id, 'heard')).toHaveLength(10)
  })

  test('does not run any more once its workspace is deleted', async () => {
    const workspace = await one.workspace(saying('here'))
    expect([await ask(one, workspace), await ask(two, workspace)]).toEqual(['here', 'here'])
    await workspace.delete()
    expect(await ask(one, workspace)).toMatchObject({ error: 'ObjectNotFoundError' })
    expect(await ask(two, workspace)).toMatchObject({ error: 'ObjectNotFoundError' })
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
    expect(await askSlug(`${renamed.slug}-new`)).toBe('first')
    expect(await askSlug(renamed.slug)).toMatchObject({ error: 'ObjectNotFoundError' })
    await rename(successor.id, renamed.slug)
    expect(await askSlug(renamed.slug)).toBe('second')
  })

  test('that changed while its workspace was read is read again', async () => {
    let revision = 1
    const reads: (() => void)[] = []
    const definitions = new Definitions(
      {
        listRevisions: async () => [{ workspaceId: 'w', workspaceSlug: 'test', revision }],
        findWorkspace: () => {
          const seen = revision
          return new Promise((resolve) => {
            reads.push(() => resolve({ ...liveWorkspace, workspaceId: 'w', revision: seen }))
          })
        },
        findAutomation: async () => undefined,
        ...nothingEarlier,
      },
      automationCompiler(defaultEventLimits, new TimeSlices()),
      limits,
    )
    const before = definitions.find('w')
    await vi.waitFor(() => expect(reads).toHaveLength(1))
    revision = 2
    const after = definitions.find('w')
    reads[0]?.()
    expect(await before).toMatchObject({ revision: 1 })
    await vi.waitFor(() => expect(reads).toHaveLength(2))
    reads[1]?.()
    expect(await after).toMatchObject({ revision: 2 })
  })

  test('of a workspace that was not there a moment ago runs', async () => {
    const workspace = await one.workspace(saying('here'))
    const setDeleted = (deleted: boolean) =>
      one.database.many(
        sql`update workspaces.stand_in set deleted = ${deleted} where workspace_id = ${workspace.id}`,
      )
    await setDeleted(true)
    expect(await ask(one, workspace)).toMatchObject({ error: 'ObjectNotFoundError' })
    await setDeleted(false)
    expect(await ask(one, workspace)).toBe('here')
  })

  test('goes on serving while the store is away', async () => {
    let isAway = false
    const answer = <T>(value: T): Promise<T> =>
      isAway ? Promise.reject(new StoreError('away', { unavailable: true })) : Promise.resolve(value)
    const live = { ...liveWorkspace, workspaceId: 'w', revision: 1 }
    const definitions = new Definitions(
      {
        listRevisions: (by, values) =>
          answer(values.includes(by === 'workspace_id' ? 'w' : 'test') ? [live] : []),
        findWorkspace: () => answer(live),
        findAutomation: () => answer(undefined),
        ...nothingEarlier,
      },
      automationCompiler(defaultEventLimits, new TimeSlices()),
      limits,
    )
    expect([await definitions.find('w'), await definitions.find('slug:other')]).toMatchObject([
      { id: 'w' },
      undefined,
    ])
    isAway = true
    expect([await definitions.find('w'), await definitions.find('slug:test')]).toMatchObject([
      { id: 'w' },
      { id: 'w' },
    ])
    await expect(definitions.find('slug:other')).rejects.toThrow('away')
  })
})

describe('questions about revisions', () => {
  test('that come together are one statement, and each is answered by one that began after it', async () => {
    let revision = 0
    const statements: string[][] = []
    const revisions = new LiveRevisions({
      async listRevisions(_, values) {
        statements.push([...values])
        const seen = revision
        await new Promise((resolve) => setTimeout(resolve, 5))
        return values.map((workspaceId) => ({ workspaceId, workspaceSlug: workspaceId, revision: seen }))
      },
    })
    const asked = async (id: string) => {
      const least = revision
      expect((await revisions.find(id))?.revision).toBeGreaterThanOrEqual(least)
    }
    const all: Promise<void>[] = []
    for (let round = 0; round < 50; round += 1) {
      for (let one = 0; one < 20; one += 1) all.push(asked(`w${one}`))
      revision += 1
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
    await Promise.all(all)
    expect(all).toHaveLength(1000)
    expect(statements.length).toBeLessThanOrEqual(55)
    expect(statements[0]).toHaveLength(20)
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
