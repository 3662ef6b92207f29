import { sql } from '@platform/database'
import { newWorkspaceId, systemClock, uuidv7 } from '@platform/kernel'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiKeyRecord } from '../../test/testing.ts'
import { openPermissions } from '../open-permissions.ts'
import { permissionStore } from '../permission-store.ts'
import { apiKeyStore } from './api-key-store.ts'

let database: TestDatabase
let workspaceId: string
beforeAll(async () => {
  database = await testDatabase()
  await openPermissions({ database, clock: systemClock })
  workspaceId = newWorkspaceId()
  await permissionStore(database).insertWorkspace({ id: workspaceId, slug: workspaceId, name: 'Name' })
})
afterAll(() => database[Symbol.asyncDispose]())

async function newKey(): Promise<string> {
  const key = apiKeyRecord({ workspaceId, createdBy: 'olga' })
  await apiKeyStore(database).insert(key, `hash of ${key.id}`)
  return key.id
}
const lastUse = async (id: string) => (await apiKeyStore(database).findById(id))?.lastUsedAt

describe('uses of API keys', () => {
  it('keep the latest, whatever order they come in', async () => {
    const [id, other] = [await newKey(), await newKey()]
    const [early, late] = [new Date('2026-01-01T10:00:00Z'), new Date('2026-01-01T11:00:00Z')]
    await apiKeyStore(database).noteUses([{ id, at: late }])
    await apiKeyStore(database).noteUses([
      { id, at: early },
      { id: other, at: early },
      { id: uuidv7(), at: late },
    ])
    expect(await Promise.all([lastUse(id), lastUse(other)])).toEqual([late, early])
  })

  it('of the same keys are written by two instances at once without a deadlock', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, newKey))
    const orders = [ids, ids.toReversed(), ids.toSorted(), ids.toSorted().toReversed()]
    for (let round = 1; round <= 20; round += 1) {
      const at = new Date(Date.parse('2026-02-01T00:00:00Z') + round * 1000)
      const write = (order: string[], late: number) =>
        apiKeyStore(database).noteUses(order.map((id) => ({ id, at: new Date(at.getTime() + late) })))
      await Promise.all(orders.map(write))
    }
    const [row] = await database.many<{ uses: Date[] }>(sql`
      select array_agg(distinct last_used_at) as uses from permissions.api_keys where id = any(${ids}::uuid[])`)
    expect(row?.uses).toEqual([new Date('2026-02-01T00:00:20.003Z')])
  })
})

describe('a key that is changed', () => {
  it('is there for one of two who lock it to delete it', async () => {
    const id = await newKey()
    const remove = () =>
      database.transaction(async (tx) => {
        const keys = apiKeyStore(tx)
        const found = await keys.lockIn(workspaceId, { id })
        if (found !== undefined) await keys.remove(id)
        return found !== undefined
      })
    expect((await Promise.all([remove(), remove()])).filter(Boolean)).toHaveLength(1)
  })

  it('is not found in another workspace', async () => {
    const id = await newKey()
    const keys = apiKeyStore(database)
    expect(await keys.findIn('another', { id })).toBeUndefined()
    expect(await keys.findIn('another', { keyHash: `hash of ${id}` })).toBeUndefined()
    expect((await keys.findIn(workspaceId, { keyHash: `hash of ${id}` }))?.id).toBe(id)
  })
})
