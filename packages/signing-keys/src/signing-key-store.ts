import { type Database, empty, type Queries, raw, sql } from '@platform/database'
import { type KeyPlace, type PrivateJwk, publicJwkOf, type SigningKeyTimes } from './signing-key.ts'

/** A key as it is kept: the public half by itself only where its place publishes it there. */
export interface StoredKey extends SigningKeyTimes {
  sealedJwk: string
}

interface Row extends Omit<StoredKey, 'signsSince' | 'rotatedAt' | 'dueAt'> {
  signsSince: Date | null
  rotatedAt: Date | null
  dueAt: Date | null
}

/** The questions about signing keys, asked on the pool or inside the one transaction of a rotation. */
export type SigningKeyQuestions = ReturnType<typeof questions>
export type SigningKeyStore = ReturnType<typeof signingKeyStore>

const questions = (queries: Queries, { table, publishesIn }: KeyPlace) => ({
  /** Every published key, the signing one first. */
  async list(): Promise<StoredKey[]> {
    const rows = await queries.many<Row>(sql`
      select kid, alg, kind, sealed_jwk as "sealedJwk", published_at as "publishedAt",
             signs_since as "signsSince", rotated_at as "rotatedAt", due_at as "dueAt"
      from ${raw(table)}
      order by (signs_since is not null and rotated_at is null) desc, published_at desc`)
    return rows.map((row) => ({
      ...row,
      signsSince: row.signsSince ?? undefined,
      rotatedAt: row.rotatedAt ?? undefined,
      dueAt: row.dueAt ?? undefined,
    }))
  },

  insert: (key: { jwk: PrivateJwk; kind: string; sealedJwk: string; publishedAt: Date }) =>
    queries.many(sql`
      insert into ${raw(table)}
        (kid, alg, kind, sealed_jwk, published_at ${publishesIn ? raw(`, ${publishesIn}`) : empty})
      values (${key.jwk.kid}, ${key.jwk.alg}, ${key.kind}, ${key.sealedJwk}, ${key.publishedAt}
        ${publishesIn ? sql`, ${JSON.stringify(publicJwkOf(key.jwk))}` : empty})`),

  /** The key that signs stops, and `kid` takes over. Answers the id of the one that stopped. */
  async letSign(kid: string, now: Date): Promise<string | undefined> {
    const [stopped] = await queries.many<{ kid: string }>(sql`
      update ${raw(table)} set rotated_at = ${now}
      where signs_since is not null and rotated_at is null returning kid`)
    await queries.many(sql`update ${raw(table)} set signs_since = ${now} where kid = ${kid}`)
    return stopped?.kid
  },

  /** The key that signs is to be replaced as soon as its successor may sign. */
  markDue: (now: Date) =>
    queries.many(sql`
      update ${raw(table)} set due_at = ${now}
      where signs_since is not null and rotated_at is null and due_at is null`),

  replaceSealed: (kid: string, sealedJwk: string) =>
    queries.many(sql`update ${raw(table)} set sealed_jwk = ${sealedJwk} where kid = ${kid}`),

  remove: (kids: readonly string[]) =>
    queries.many(sql`delete from ${raw(table)} where kid = any(${kids}::text[])`),
})

/** The signing keys in the database. */
export const signingKeyStore = (database: Database, place: KeyPlace) => ({
  list: questions(database, place).list,

  /**
   * Runs `work` in a transaction while no other instance can: row locks would not do, since the first key has no row
   * to lock.
   */
  exclusively: <T>(work: (keys: SigningKeyQuestions, tx: Queries) => Promise<T>): Promise<T> =>
    database.transaction(async (tx) => {
      await tx.many(sql`select pg_advisory_xact_lock(hashtext(${place.table}))`)
      return work(questions(tx, place), tx)
    }),
})
