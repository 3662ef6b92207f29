import { listMasterKeys as endpoint, type MasterKeyUse } from '@platform/contracts'
import type { Database } from '@platform/database'
import { respond, route } from '@platform/http'
import { StoreError } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import type { SealedColumnStore } from './sealed-column-store.ts'

interface Needs {
  database: Database
  masterKeys: MasterKeyRing
  columns: readonly SealedColumnStore[]
  /** Of services that may not have made their tables yet. */
  columnsOfOthers: readonly SealedColumnStore[]
}

/** What PostgreSQL answers where a table is not there. */
const UNDEFINED_TABLE = '42P01'

/** Says when an old master key may go: once nothing is sealed with it. */
export const listMasterKeys = (deps: Needs) =>
  route(endpoint, {
    async handle() {
      const counted = await Promise.all([
        ...deps.columns.map(async (column) => ({
          name: column.name,
          counts: await column.count(deps.database),
        })),
        ...deps.columnsOfOthers.map(async (column) => ({
          name: column.name,
          counts: await column.count(deps.database).catch(noneWithoutTable),
        })),
      ])
      const found = counted.flatMap(({ counts }) => counts.map(({ masterKeyId }) => masterKeyId))
      const ids = [...new Set([...deps.masterKeys.ids, ...found])]
      const uses = ids.map((id): MasterKeyUse => {
        const values = counted.map(({ name, counts }) => ({
          place: name,
          values: counts.find(({ masterKeyId }) => masterKeyId === id)?.values ?? 0,
        }))
        return {
          id,
          seals: id === deps.masterKeys.currentId,
          known: deps.masterKeys.ids.includes(id),
          sealed: values.filter(({ values: count }) => count > 0),
        }
      })
      return respond(uses, { headers: { 'cache-control': 'no-store' } })
    },
  })

function noneWithoutTable(error: unknown): [] {
  if (error instanceof StoreError && error.code === UNDEFINED_TABLE) return []
  throw error
}
