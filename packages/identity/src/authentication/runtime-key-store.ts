import { type Queries, sql } from '@platform/database'
import type { PrivateJwk, RingKey } from '@platform/signing-keys'

interface Row {
  kid: string
  alg: string
  jwk: PrivateJwk
}

/** The keys of the runtime as its view shows them: the public halves. None signs here. */
export function runtimeKeyStore(database: Queries) {
  let isThere = false

  /** Asked first: a statement about a view that the runtime has not made yet is an error in the log of the database. */
  async function looksForView(): Promise<boolean> {
    const [found] = await database.many<{ isThere: boolean }>(
      sql`select to_regclass('runtime.published_keys') is not null as "isThere"`,
    )
    return found?.isThere === true
  }

  return {
    async list(): Promise<RingKey[]> {
      isThere ||= await looksForView()
      if (!isThere) return []
      const rows = await database.many<Row>(
        sql`select kid, alg, public_jwk as jwk from runtime.published_keys order by published_at desc`,
      )
      return rows.map((row) => ({ ...row, signs: false }))
    },
  }
}
