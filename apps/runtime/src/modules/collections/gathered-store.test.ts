import { type Database, DatabaseError, type Sql, sql } from '@platform/database'
import type { TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { runsDatabase } from '../../../test/testing.ts'
import { changedSchema, emptySchema } from './collection-schema.ts'
import { type Collection, StaleSchema } from './collection-store.ts'
import { findByKeys, insertBeside } from './entering-store.ts'
import { GatheredStatements } from './gathered-store.ts'
import { stored } from './writes.ts'

const WORKSPACE = 'w0123456789abcde'
const OTHER = 'wotherotherother'
const never = new AbortController().signal
const schema = changedSchema(emptySchema, { uniques: [{ properties: ['email'] }] })

let database: TestDatabase
let sent: Sql[] = []
/** What each statement waits for before it is sent. */
let gate: Promise<unknown> = Promise.resolve()
let watched: Database
beforeAll(async () => {
  database = await runsDatabase()
  watched = {
    ...database,
    async many<Row>(statement: Sql) {
      sent.push(statement)
      await gate
      return await database.many<Row>(statement)
    },
  }
})
afterAll(() => database[Symbol.asyncDispose]())

let made = 0
async function collectionOf(workspaceId = WORKSPACE): Promise<Collection> {
  made += 1
  const id = `01900000-0000-7000-8000-0000000${String(made).padStart(5, '0')}`
  await database.many(sql`
    insert into runtime.collections (id, workspace_id, name, schema)
    values (${id}, ${workspaceId}, ${`c${made}`}, ${JSON.stringify(schema)})`)
  return { id, workspaceId, name: `c${made}`, schema, version: 1, records: 0 }
}

const recordOf = (collection: Collection, n: number, id = `r${n}`) =>
  stored(collection, { id, email: `a${n}@example.com`, n })
const emailKey = (n: number) => ({ column: schema.uniques[0]?.column ?? '', key: `sa${n}@example.com` })

const countIn = async ({ id }: Collection): Promise<number> =>
  (await database.many(sql`select from runtime.records where collection_id = ${id}`)).length

let gathered: GatheredStatements
beforeEach(() => {
  gathered = new GatheredStatements(watched)
  sent = []
  gate = Promise.resolve()
})

/** Calls one, and others while its statement is under way. */
async function besides<T>(first: () => Promise<T>, others: readonly (() => Promise<T>)[]): Promise<T[]> {
  const open = Promise.withResolvers<void>()
  gate = open.promise
  const asked = [first()]
  await expect.poll(() => sent.length).toBe(1)
  asked.push(...others.map((ask) => ask()))
  open.resolve()
  return await Promise.all(asked)
}

const many = <T>(count: number, make: (n: number) => T): T[] =>
  Array.from({ length: count }, (_, n) => make(n))

describe('records that are asked for by a unique value', () => {
  test('are looked up in one statement with those asked for meanwhile, each for who asked', async () => {
    const collection = await collectionOf()
    await insertBeside(
      database,
      collection,
      many(20, (n) => recordOf(collection, n)),
    )
    const asks = [...many(9, (n) => n), 3, 99].map((n) => () => gathered.find(collection, emailKey(n), never))
    const found = await besides(
      () => gathered.find(collection, { column: 'id', key: 'r7' }, never),
      [() => gathered.find(collection, { column: 'id', key: 'none' }, never), ...asks],
    )
    const wanted = [7, undefined, 0, 1, 2, 3, 4, 5, 6, 7, 8, 3, undefined]
    expect(found.map((one) => one?.n)).toEqual(wanted)
    // Two by the id; then those by the e-mail, ten and one.
    expect(sent).toHaveLength(4)
  })

  test('are for nobody whose run is over before their statement begins', async () => {
    const collection = await collectionOf()
    const over = new AbortController()
    const open = Promise.withResolvers<void>()
    gate = open.promise
    const first = gathered.find(collection, emailKey(1), never)
    await expect.poll(() => sent.length).toBe(1)
    const second = gathered.find(collection, emailKey(2), over.signal)
    over.abort(new Error('over'))
    await expect(second).rejects.toThrow('over')
    await expect(gathered.find(collection, emailKey(3), over.signal)).rejects.toThrow('over')
    open.resolve()
    expect(await first).toBeUndefined()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(sent).toHaveLength(1)
  })

  test('are asked for anew where the schema has changed', async () => {
    const collection = await collectionOf()
    await database.many(sql`update runtime.collections set version = 2 where id = ${collection.id}`)
    await expect(gathered.find(collection, emailKey(1), never)).rejects.toThrow(StaleSchema)
    await expect(gathered.insert(collection, recordOf(collection, 1), never)).rejects.toThrow(StaleSchema)
    expect(await countIn(collection)).toBe(0)
  })

  test('fail for all who asked where the database does', async () => {
    const collection = await collectionOf()
    const failure = new DatabaseError('It is gone.', { unavailable: true })
    const broken = new GatheredStatements({ ...database, many: () => Promise.reject(failure) })
    const asked = many(3, (n) => broken.find(collection, emailKey(n), never))
    expect(await Promise.allSettled(asked)).toEqual(many(3, () => ({ status: 'rejected', reason: failure })))
  })
})

describe('records that are added at the same time', () => {
  test('are added in one statement; one like which there is another is left to who adds it', async () => {
    const collection = await collectionOf()
    const added = await besides(
      () => gathered.insert(collection, recordOf(collection, 1), never),
      [
        recordOf(collection, 2),
        recordOf(collection, 1, 'another'),
        recordOf(collection, 3),
        recordOf(collection, 4, 'r3'),
        recordOf(collection, 5, 'r1'),
      ].map((record) => () => gathered.insert(collection, record, never)),
    )
    expect(sent).toHaveLength(2)
    expect(added.filter((isAdded) => isAdded)).toHaveLength(3)
    expect([added[0], added[1], added[2], added[5]]).toEqual([true, true, false, false])
    expect(await countIn(collection)).toBe(3)
  })

  test('are not added for a run that is over, and large ones not beside others', async () => {
    const collection = await collectionOf()
    const over = AbortSignal.abort(new Error('over'))
    await expect(gathered.insert(collection, recordOf(collection, 1), over)).rejects.toThrow('over')
    const large = stored(collection, { id: 'large', text: 'x'.repeat(60_000) })
    expect(await gathered.insert(collection, large, never)).toBe(false)
    expect(await countIn(collection)).toBe(0)
  })
})

test('a workspace sees and adds to its own collections only, whatever it asks for', async () => {
  const mine = await collectionOf()
  const theirs = await collectionOf(OTHER)
  await insertBeside(database, theirs, [recordOf(theirs, 1)])
  const stolen = { ...theirs, workspaceId: WORKSPACE }
  await expect(findByKeys(database, stolen, 'id', ['r1'])).rejects.toThrow(StaleSchema)
  await expect(insertBeside(database, stolen, [recordOf(stolen, 2)])).rejects.toThrow(StaleSchema)
  // As if the record stood in a collection of this workspace: its own row still says whose it is.
  await database.many(
    sql`update runtime.records set collection_id = ${mine.id} where collection_id = ${theirs.id}`,
  )
  expect(await findByKeys(database, mine, 'id', ['r1'])).toEqual([undefined])
})
