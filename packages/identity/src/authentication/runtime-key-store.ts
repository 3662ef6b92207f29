import { DatabaseError, type Queries, sql } from '@platform/database'
import type { PrivateJwk, RingKey } from '@platform/signing-keys'

interface Row {
  kid: string
  alg: string
  jwk: PrivateJwk
}

/** No view, or no schema: the runtime has not been here yet. */
const NOT_THERE = new Set(['42P01', '3F000'])

/** The keys of the runtime as its view shows them: the public halves. None signs here. */
export const runtimeKeyStore = (database: Queries) => ({
  async list(): Promise<RingKey[]> {
    try {
      const rows = await database.many<Row>(
        sql`select kid, alg, public_jwk as jwk from runtime.published_keys order by published_at desc`,
      )
      return rows.map((row) => ({ ...row, signs: false }))
    } catch (error) {
      if (error instanceof DatabaseError && NOT_THERE.has(error.code ?? '')) return []
      throw error
    }
  },
})
