import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Database, openDatabase, type Queries, sql } from './index.ts'

let database: Database
const server = createServer((_, response) => response.end())
beforeAll(async () => {
  const options = { allowWeakDurability: true, guardTransactions: true, poolSize: 2 }
  database = await openDatabase(inject('databaseUrl'), options)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.close()
  await database[Symbol.asyncDispose]()
})
const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
const asked = () => new Promise((resolve) => get(url(), (response) => response.resume().on('end', resolve)))

describe('a transaction', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['(an HTTP request|a connection)', () => fetch(url())],
    ['(an HTTP request|a connection)', asked],
    ['a statement outside of it', () => database.many(sql`select 1`)],
    ['a statement outside of it', () => database.transaction((tx) => tx.many(sql`select 1`))],
  ])('that waits for %s can not be committed', async (what, wait) => {
    const work = async (tx: Queries) => {
      await tx.many(sql`select 1`)
      await wait().catch(() => undefined)
    }
    const message = new RegExp(`A transaction waited for ${what}: do that before it begins or after it`)
    await expect(database.transaction(work)).rejects.toThrow(message)
  })

  it('that writes nothing may wait, and the server sees that it writes nothing', async () => {
    const waiting = database.transaction(
      async (tx) => {
        await tx.many(sql`select pg_try_advisory_xact_lock(1)`)
        await database.many(sql`select 1`)
        return await tx.many<{ xid: string | null }>(
          sql`select pg_current_xact_id_if_assigned()::text as xid`,
        )
      },
      { readOnly: true },
    )
    expect(await waiting).toEqual([{ xid: null }])
    const failing = database.transaction((tx) => tx.many(sql`create table never (a int)`), { readOnly: true })
    await expect(failing).rejects.toThrow('read-only transaction')
  })

  it('may lead to anything when it is over, or beside it', async () => {
    let later: Promise<unknown> | undefined
    const over = Promise.withResolvers<void>()
    await database.transaction(async (tx) => {
      later = over.promise.then(() => database.many(sql`select 1`))
      await tx.many(sql`select 1`)
    })
    over.resolve()
    await Promise.all([later, fetch(url()), database.transaction((tx) => tx.many(sql`select pg_sleep(0.1)`))])
  })
})
