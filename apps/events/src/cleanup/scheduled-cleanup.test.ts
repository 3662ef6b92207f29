import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from '@platform/database'
import { DAY_MS, HOUR_MS } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { movableClock, startCleanupTests } from '../../test/cleanup-fixture.ts'
import { runCleanup } from './run-cleanup.ts'
import { deletionOfEvents, scheduledCleanup } from './scheduled-cleanup.ts'

let cleaning: Awaited<ReturnType<typeof startCleanupTests>>
beforeAll(async () => {
  cleaning = await startCleanupTests()
})
afterAll(() => cleaning[Symbol.asyncDispose]())

const { signal } = new AbortController()
const runs = async () => {
  const rows = await cleaning.service.database.many(
    sql`select 1 from audit.entries where action = 'events.cleaned' and subject = 'cleanup:indices'`,
  )
  return rows.length
}
/** Sunday 00:00 UTC. */
const SUNDAY = new Date('2031-06-01T00:00:00Z')
const after = (ms: number) => new Date(SUNDAY.getTime() + ms)
const schedule = { pattern: '0 0 * * 0', timeZone: 'UTC' }
const follow = (at: Date) =>
  cleaning.service.database.many(sql`
    insert into events.cleanups (name, followed_at) values ('indices', ${at})
    on conflict (name) do update set followed_at = excluded.followed_at`)

describe('the scheduled cleanup', () => {
  test('runs once when its time has come, whichever of three processes is the first', async () => {
    const clock = movableClock(after(-60_000))
    const parts = await cleaning.parts(clock)
    const jobs = [1, 2, 3].map(() => scheduledCleanup(parts.indices, parts, schedule))
    const all = () => Promise.all(jobs.map((job) => job.run(signal)))
    await follow(after(-2 * DAY_MS))
    const before = await runs()
    await all()
    expect(await runs()).toBe(before)
    clock.moveTo(after(1000))
    await all()
    await all()
    expect(await runs()).toBe(before + 1)
    clock.moveTo(after(6 * DAY_MS))
    await all()
    expect(await runs()).toBe(before + 1)
  })

  test.each([
    ['23 hours after a time that all processes missed runs once', 23, 1],
    ['25 hours after it waits for the next time', 25, 0],
  ])('%s', async (_, hours, expected) => {
    const clock = movableClock(after(hours * HOUR_MS))
    const parts = await cleaning.parts(clock)
    await follow(after(-3 * DAY_MS))
    const before = await runs()
    const job = scheduledCleanup(parts.indices, parts, schedule)
    await job.run(signal)
    await job.run(signal)
    expect(await runs()).toBe(before + expected)
  })

  test('is not held up by, and does not hold up, another that cleans', async () => {
    const clock = movableClock(after(1000))
    const parts = await cleaning.parts(clock)
    await follow(after(-DAY_MS))
    const before = await runs()
    await parts.store.alone(async () => {
      await scheduledCleanup(parts.indices, parts, schedule).run(signal)
      await deletionOfEvents(parts.streams, parts.store).run(signal)
    })
    expect(await runs()).toBe(before)
  })
})

/** Removes one document a step and says so, for ever slower than whoever kills it. */
const slowCleanup = (databaseUrl: string) => `
  const { openDatabase, sql } = await import('@platform/database')
  const { cleanupStore } = await import('./cleanup-store.ts')
  const { runCleanup } = await import('./run-cleanup.ts')
  const database = await openDatabase(${JSON.stringify(databaseUrl)}, { allowWeakDurability: true })
  const store = cleanupStore({ database, outbox: undefined, audit: undefined })
  const deleteOne = sql\`delete from search.documents where id in (
    select id from search.documents where id < '01900000-0000-7000-8000-000000000000' order by id limit 1)\`
  const slow = {
    name: 'indices',
    start: { cursor: 'log:', report: {} },
    async step() {
      await database.many(deleteOne)
      console.log('removed')
      await new Promise((resolve) => setTimeout(resolve, 100))
      return { cursor: 'log:', report: ${JSON.stringify(emptyReport())} }
    },
  }
  await runCleanup(slow, { store, clock: { now: () => new Date() } })`

function emptyReport() {
  const none = { found: 0, streams: [] }
  return {
    indicesWithoutDatastream: none,
    inactiveDatastreams: { ...none, result: 0 },
    emptyIndices: none,
    expiredEvents: 1,
  }
}

describe('a process that cleans and is killed', () => {
  test('leaves no lock behind, and its run is ended by the next process whatever the schedule says', async () => {
    const id = await cleaning.newWorkspace()
    await cleaning.fill(id, [...Array.from({ length: 30 }, () => 1200), 1])
    const child = spawn(
      process.execPath,
      ['--input-type=module', '-e', slowCleanup(cleaning.service.env.DATABASE_URL ?? '')],
      { cwd: fileURLToPath(new URL('.', import.meta.url)), stdio: ['ignore', 'pipe', 'inherit'] },
    )
    await once(child.stdout, 'data')
    const { indices, store, clock } = await cleaning.parts()
    await expect(runCleanup(indices, { store, clock })).rejects.toMatchObject({ name: 'ResourceLocked' })
    child.kill('SIGKILL')
    await once(child, 'exit')

    const left = await cleaning.count(id)
    expect(left).toBeGreaterThan(1)
    expect((await store.find('indices', clock.now())).startedAt).not.toBeNull()
    const before = await runs()
    const never = { pattern: '0 0 29 2 *', timeZone: 'UTC' }
    await vi.waitFor(async () => {
      await scheduledCleanup(indices, { store, clock }, never).run(signal)
      expect(await runs()).toBe(before + 1)
    })
    expect(await cleaning.count(id)).toBe(1)
  })
})
