import { sql } from '@platform/database'
import { systemClock } from '@platform/kernel'
import { expect, test } from 'vitest'
import { startRuntime } from '../../../test/testing.ts'
import { deleteEffects } from '../effect-store.ts'
import { countRecords, forgetCollectionsOfDeleted } from './collection-upkeep.ts'
import { collectionUpkeepStore } from './collection-upkeep-store.ts'

const signal = new AbortController().signal

test('records are counted, limited by what was counted, and go with their workspace', async () => {
  await using runtime = await startRuntime({ env: { COLLECTION_RECORDS_MAX: '3' } })
  const data = [{ a: 1 }, { a: 2 }, { a: 3 }]
  const run = {
    module: 'collections',
    function: 'bulkCreate',
    parameters: { collection: 'things', data },
    output: 'out',
  }
  const workspace = await runtime.workspace({
    main: { when: { endpoint: true }, do: [{ run }], output: '{{out}}' },
  })
  expect((await runtime.call(workspace.id, 'main')).status).toBe(200)
  const store = collectionUpkeepStore(runtime.database)
  await countRecords({ store }).run(signal)
  const counts = () => runtime.database.many(sql`select name, records from runtime.collections`)
  expect(await counts()).toEqual([{ name: 'things', records: 3 }])
  await using other = await startRuntime({
    databaseUrl: runtime.env.DATABASE_URL ?? '',
    env: { COLLECTION_RECORDS_MAX: '3' },
  })
  const refused = await other.call(workspace.id, 'main')
  expect(refused.status).toBe(400)
  expect(await refused.json()).toMatchObject({ message: expect.stringContaining('has 3 records already') })

  const deletedAt = sql`
    update permissions.workspaces set deleted_at = now() - interval '2 days' where id = ${workspace.id}`
  await runtime.database.many(deletedAt)
  const forget = (keptDays: number) =>
    forgetCollectionsOfDeleted({ store, clock: systemClock, keptDays }).run(signal)
  await forget(3)
  expect(await counts()).toHaveLength(1)
  await forget(1)
  expect(await counts()).toEqual([])
  expect(await runtime.database.many(sql`select from runtime.records`)).toEqual([])
}, 30_000)

test('what was kept of writes goes once their run has ended, and not before', async () => {
  await using runtime = await startRuntime()
  const insert = (id: string, runId: string, age: string) =>
    runtime.database.many(sql`
      insert into runtime.module_effects (id, run_id, answer, created_at)
      values (${id}, ${runId}, '1', now() - ${age}::interval)`)
  const uuid = (n: number) => `01900000-0000-7000-8000-00000000000${n}`
  await runtime.database.many(sql`
    insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, status, correlation_id,
      leased_until)
    values (${uuid(1)}, 'w', 'a', 'event', 'a', 'running', 'c', now() + interval '1 hour')`)
  await insert(uuid(2), uuid(1), '2 hours')
  await insert(uuid(3), uuid(9), '2 hours')
  await insert(uuid(4), uuid(9), '1 minute')
  expect(await deleteEffects(runtime.database, 10)).toBe(1)
  const left = await runtime.database.many<{ id: string }>(
    sql`select id from runtime.module_effects order by id`,
  )
  expect(left.map(({ id }) => id)).toEqual([uuid(2), uuid(4)])
}, 30_000)
