import { cleanIndices, eventStream, eventsCleaned } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { fill, otherStore, startCleanupTests } from '../../test/cleanup-fixture.ts'
import { callBudget } from './cleanup.ts'
import { runCleanup } from './run-cleanup.ts'

let cleaning: Awaited<ReturnType<typeof startCleanupTests>>
beforeAll(async () => {
  cleaning = await startCleanupTests()
})
afterAll(() => cleaning[Symbol.asyncDispose]())

const clean = (dryRun?: '' | 'true' | 'false') =>
  cleaning.service.internal(cleanIndices, dryRun === undefined ? {} : { query: { dryRun } })

/** One of each kind: busy with expired events, small and quiet, large and quiet, and small but in use. */
async function workspaces() {
  const busy = await cleaning.newWorkspace()
  const quiet = await cleaning.newWorkspace()
  const large = await cleaning.newWorkspace()
  const used = await cleaning.newWorkspace()
  await cleaning.fill(busy, [1100, 1081, 1079, 3])
  await cleaning.fill(quiet, [400, 31])
  await cleaning.fill(
    large,
    Array.from({ length: 50 }, (_, at) => 31 + at),
  )
  await cleaning.fill(used, [400, 31, 29])
  return { busy, quiet, large, used }
}

describe('POST /sys/cleanup/indices', () => {
  test('with dryRun only says what it would delete; without it deletes just that, and nothing again', async () => {
    const { busy, quiet, large, used } = await workspaces()
    const found = {
      done: true,
      inactiveDatastreams: { found: 1, streams: [eventStream(quiet)], result: 2 },
      expiredEvents: 2,
      emptyIndices: { found: 0, streams: [] },
      indicesWithoutDatastream: { found: 0, streams: [] },
    }
    for (const dryRun of ['true', ''] as const) {
      expect(await clean(dryRun)).toEqual({ dryRun: true, ...found })
    }
    expect(await cleaning.count(quiet)).toBe(2)
    expect(await clean()).toEqual({ dryRun: false, ...found })
    const counts = await Promise.all([busy, quiet, large, used].map((id) => cleaning.count(id)))
    expect(counts).toEqual([2, 0, 50, 3])
    expect(await clean('false')).toMatchObject({ inactiveDatastreams: { found: 0 }, expiredEvents: 0 })
  })

  test('tells of it on the stream of the platform and in the audit trail', async () => {
    const quiet = await cleaning.newWorkspace()
    await cleaning.fill(quiet, [40])
    await clean('false')
    await vi.waitFor(async () => {
      const told = (await cleaning.platformEvents()).filter(({ type }) => type === eventsCleaned.type)
      const payloads = told.map(({ payload }) => payload)
      expect(payloads).toContainEqual(
        expect.objectContaining({
          inactiveDatastreams: { found: 1, streams: [eventStream(quiet)], result: 1 },
        }),
      )
    })
    const [row] = await cleaning.service.database.many<{ actor: string; subject: string; details: string }>(
      sql`
        select actor, subject, details from audit.entries
        where action = 'events.cleaned' order by sequence desc limit 1`,
    )
    expect(row).toMatchObject({ actor: 'platform', subject: 'cleanup:indices' })
    expect(row?.details).toContain('"inactiveEvents":1')
  })

  test('purges what becomes small and quiet by what expires, in the same run', async () => {
    const shrinking = await cleaning.newWorkspace()
    await cleaning.fill(shrinking, [...Array.from({ length: 60 }, () => 1100), 100])
    const report = await clean('false')
    expect(report.expiredEvents).toBe(60)
    expect(report.inactiveDatastreams).toMatchObject({ found: 1, result: 1 })
    expect(await cleaning.count(shrinking)).toBe(0)
  })

  test('keeps the small stream of a workspace in use whose old events were appended last', async () => {
    const used = await cleaning.newWorkspace()
    await cleaning.fill(used, [1])
    await cleaning.fill(used, [40, 35])
    expect((await clean('true')).inactiveDatastreams.found).toBe(0)
    expect((await clean('false')).inactiveDatastreams.found).toBe(0)
    expect(await cleaning.count(used)).toBe(3)
  })

  test('lets only one clean at a time: the other is told with 423', async () => {
    const { store } = await cleaning.parts()
    await store.alone(async () => {
      await expect(clean('false')).rejects.toMatchObject({ name: 'ResourceLocked', status: 423 })
      expect((await clean('true')).dryRun).toBe(true)
    })
    expect((await clean('false')).done).toBe(true)
  })

  test('takes the internal key in x-platform-api-key, as a scheduled job sends it', async () => {
    const key = cleaning.service.headersOf({ kind: 'internal' })['x-platform-internal-key'] ?? ''
    const ask = (given: string) =>
      fetch(`${cleaning.service.url}/sys/cleanup/indices`, {
        method: 'POST',
        headers: { 'x-platform-api-key': given },
      })
    const answer = await ask(key)
    expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ dryRun: false })])
    expect((await ask('iak_acme_x')).status).toBe(401)
  })

  test('refuses users, super administrators and nobody, and every parameter it does not know', async () => {
    const { service } = cleaning
    const root = service.as({ userId: 'root', superAdmin: true })
    await expect(root(cleanIndices)).rejects.toMatchObject({ status: 403 })
    await expect(service.as({})(cleanIndices)).rejects.toMatchObject({ status: 403 })
    await expect(service.nobody(cleanIndices)).rejects.toMatchObject({ status: 401 })
    const headers = service.headersOf({ kind: 'internal' })
    for (const query of [
      'dryRun=no',
      'dryRun=false&retentionDays=0',
      'workspaceId=x',
      'dryRun=false&dryRun=true',
    ]) {
      const answer = await fetch(`${service.url}/sys/cleanup/indices?${query}`, { method: 'POST', headers })
      expect(answer.status, query).toBe(400)
    }
    const missing = await fetch(`${service.url}/sys/cleanup/indexes`, { method: 'POST', headers })
    expect(missing.status).toBe(404)
  })
})

describe('a cleanup in parts', () => {
  test('does a bounded part a call, goes on where it was, and tells of the whole', async () => {
    const { indices, store, clock } = await cleaning.parts()
    const id = await cleaning.newWorkspace()
    await cleaning.fill(id, [...Array.from({ length: 25 }, () => 1200), 1])
    const run = () => runCleanup(indices, { store, clock }, callBudget(10))
    const outcomes = [await run(), await run(), await run()]
    expect(outcomes.map(({ done, report }) => [done, report.expiredEvents])).toEqual([
      [false, 10],
      [false, 20],
      [true, 25],
    ])
    expect(await cleaning.count(id)).toBe(1)
  })

  test('killed within a step, goes on without losing or repeating anything', async () => {
    const { indices, store, clock, streams } = await cleaning.parts()
    const ids = [await cleaning.newWorkspace(), await cleaning.newWorkspace()]
    for (const id of ids) await cleaning.fill(id, [1200, 1200, 1])
    const dying = {
      ...indices,
      async step(...step: Parameters<typeof indices.step>) {
        await indices.step(...step)
        throw new Error('killed')
      },
    }
    await expect(runCleanup(dying, { store, clock })).rejects.toThrow('killed')
    expect((await runCleanup(indices, { store, clock })).done).toBe(true)
    expect(await Promise.all(ids.map((id) => cleaning.count(id)))).toEqual([1, 1])
    expect(await store.find('indices', streams.clock.now())).toMatchObject({ startedAt: null, cursor: null })
  })
})

describe('the index', () => {
  test('loses what the log has no longer, and what expired; the rest stays', async () => {
    await using index = await otherStore('elasticsearch')
    const { indices, store, clock, rebuilt } = await cleaning.parts(undefined, index)
    const kept = await cleaning.newWorkspace()
    const gone = await cleaning.newWorkspace()
    await cleaning.fill(kept, [3])
    await fill(index, kept, [1200, 3])
    await fill(index, gone, [3])
    const preview = await indices.preview()
    expect(preview.report.indicesWithoutDatastream).toEqual({ found: 1, streams: [eventStream(gone)] })
    const { report } = await runCleanup(indices, { store, clock })
    expect(report.indicesWithoutDatastream).toEqual({ found: 1, streams: [eventStream(gone)] })
    expect(await cleaning.count(kept, index)).toBe(1)
    expect(await cleaning.count(gone, index)).toBe(0)
    expect(rebuilt).toEqual([])
  })
})
