import { openDatabase, sql } from '@platform/database'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { logConformance } from '../../test/conformance/log-conformance.ts'
import { retainedConformance } from '../../test/conformance/retained-conformance.ts'
import { searchConformance } from '../../test/conformance/search-conformance.ts'
import type { Log } from '../log.ts'
import { openLog } from './open-log.ts'

describe('the log in PostgreSQL', () => {
  let database: TestDatabase
  let log: Log
  const opened = new AsyncDisposableStack()
  beforeAll(async () => {
    database = opened.use(await testDatabase())
    log = await openLog(database)
  })
  afterAll(() => opened.disposeAsync())

  const refresh = async () => undefined
  searchConformance('searching it', async () => ({
    search: log,
    add: (documents) => log.append(documents),
    refresh,
  }))
  retainedConformance('retention', async () => ({
    store: log,
    add: (documents) => log.append(documents),
    refresh,
  }))
  logConformance('following it', async () => {
    const another = opened.use(
      await openDatabase(database.url, { allowWeakDurability: true, statementTimeoutMs: 10_000 }),
    )
    return [log, await openLog(another)]
  })

  test('leaves nothing of a probe behind, also when it dies in the middle', async () => {
    const die = sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    for (let round = 0; round < 20; round += 1) {
      const probing = Array.from({ length: 3 }, () =>
        log.probe(AbortSignal.timeout(2000)).catch(() => undefined),
      )
      await database.many(die).catch(() => undefined)
      await Promise.all(probing)
    }
    const left = () =>
      database.many(sql`select 1 from search.documents where stream like 'readiness-probe-%'`)
    await vi.waitFor(async () => expect(await left()).toEqual([]), { timeout: 5000 })
  })
})
