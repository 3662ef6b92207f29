import { automationExecuted, cleanExecutions, eventStream } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCleanupTests } from '../../test/cleanup-fixture.ts'
import { callBudget } from './cleanup.ts'
import { runCleanup } from './run-cleanup.ts'

let cleaning: Awaited<ReturnType<typeof startCleanupTests>>
beforeAll(async () => {
  cleaning = await startCleanupTests()
})
afterAll(() => cleaning[Symbol.asyncDispose]())

const executed = {
  type: automationExecuted.type,
  payload: { slug: 'greet', payload: { body: 'private' }, output: [1], duration: 3 },
}
const clean = (dryRun?: '' | 'true' | 'false') =>
  cleaning.service.internal(cleanExecutions, dryRun === undefined ? {} : { query: { dryRun } })
const payloads = async (id: string) =>
  (await cleaning.log.find(eventStream(id), { sort: 'asc', limit: 10 })).map(({ payload }) => payload)

describe('POST /sys/cleanup/executions', () => {
  test('takes payload and output out of old executions, keeps the rest of them, and touches nothing else', async () => {
    const id = await cleaning.newWorkspace()
    await cleaning.fill(id, [15, 13], executed)
    await cleaning.fill(id, [15], { payload: { payload: 1, output: 2 } })
    expect(await clean('true')).toEqual({ dryRun: true, done: true, result: { stripped: 1 } })
    expect(await payloads(id)).toContainEqual(executed.payload)
    expect(await clean()).toEqual({ dryRun: false, done: true, result: { stripped: 1 } })
    expect(await payloads(id)).toEqual([
      { slug: 'greet', duration: 3 },
      executed.payload,
      { payload: 1, output: 2 },
    ])
    expect((await clean('false')).result).toEqual({ stripped: 0 })
    const rows = await cleaning.service.database.many(
      sql`select 1 from audit.entries where action = 'events.cleaned' and subject = 'cleanup:executions'`,
    )
    expect(rows).toHaveLength(2)
  })

  test('does a bounded part a call', async () => {
    const { executions, store, clock } = await cleaning.parts()
    const id = await cleaning.newWorkspace()
    await cleaning.fill(
      id,
      Array.from({ length: 5 }, () => 20),
      executed,
    )
    const run = () => runCleanup(executions, { store, clock }, callBudget(3))
    expect(await run()).toEqual({ done: false, report: { stripped: 3 } })
    expect(await run()).toEqual({ done: true, report: { stripped: 5 } })
  })

  test('refuses users, super administrators and nobody, and what it does not know', async () => {
    const { service } = cleaning
    const root = service.as({ userId: 'root', superAdmin: true })
    await expect(root(cleanExecutions)).rejects.toMatchObject({ status: 403 })
    await expect(service.nobody(cleanExecutions)).rejects.toMatchObject({ status: 401 })
    const headers = service.headersOf({ kind: 'internal' })
    const invalid = await fetch(`${service.url}/sys/cleanup/executions?before=0`, { method: 'POST', headers })
    expect(invalid.status).toBe(400)
    const missing = await fetch(`${service.url}/sys/cleanup/execution`, { method: 'POST', headers })
    expect(missing.status).toBe(404)
  })

  test('is 423 while another cleans', async () => {
    const { store } = await cleaning.parts()
    await store.alone(() => expect(clean('false')).rejects.toMatchObject({ name: 'ResourceLocked' }))
  })
})
