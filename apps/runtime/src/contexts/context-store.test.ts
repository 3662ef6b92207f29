import { type Database, migrate, openDatabase, sql } from '@platform/database'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { deleteExpiredContexts } from '../automations/automations-part.ts'
import { contextStore, upsertPatches } from './context-store.ts'

let database: TestDatabase
let second: Database

beforeAll(async () => {
  database = await testDatabase()
  await migrate(database, { schema: 'runtime', directory: new URL('../../migrations/', import.meta.url) })
  second = await openDatabase(database.url, { allowWeakDurability: true })
})
afterAll(async () => {
  await second[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const session = (workspaceId: string, ttlSeconds: number) =>
  upsertPatches([
    { workspaceId, context: 'session', owner: 'ada', content: { a: 1 }, removed: [], ttlSeconds },
  ])
const count = async (workspaceId: string) =>
  (await database.many(sql`select 1 from runtime.contexts where workspace_id = ${workspaceId}`)).length

describe('contexts that have expired', () => {
  test('stay when they are written while they are being deleted', async () => {
    await database.many(session('revived', -1))
    let deleting: Promise<number> | undefined
    await second.transaction(async (tx) => {
      await tx.many(session('revived', 60))
      deleting = contextStore(database).deleteExpired(1000)
      await Promise.race([deleting, new Promise((resolve) => setTimeout(resolve, 200))])
    })
    expect(await deleting).toBe(0)
    expect(await contextStore(database).load('revived', 'session', 'ada')).toEqual({
      values: { a: 1 },
      ending: [],
    })
  })

  test('all go, however many there are', async () => {
    await database.many(sql`
      insert into runtime.contexts (workspace_id, context, owner, expires_at)
      select 'many', 'run', owner::text, now() - interval '1 second' from generate_series(1, 2500) owner`)
    await deleteExpiredContexts(contextStore(database)).run(new AbortController().signal)
    expect(await count('many')).toBe(0)
  })
})
