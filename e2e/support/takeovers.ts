import { openDatabase, raw } from '@platform/database'

const LOOK_MS = 200
const STATEMENT_MS = 5000

/** The letters "here", which processes announce themselves by (packages/database/src/presence.ts). */
const PRESENCE_LOCK = 0x68657265

/** Runs whose worker is gone; those of a worker that never announced itself are known by nobody. */
const ABANDONED = `
  select r.id || ' ' || r.attempt as claim from runtime.runs r
  where r.status = 'running' and r.worker ~ '^[0-9]+$' and not exists (
    select 1 from pg_locks l where l.locktype = 'advisory' and l.granted and l.classid = ${PRESENCE_LOCK}::oid
      and l.objsubid = 2 and l.objid = r.worker::bigint::oid
      and l.database = (select oid from pg_database where datname = current_database()))`

/** Looks at the database all the time, and answers how long each claim of a dead process stood until it ended. */
export async function watchTakeovers(databaseUrl: string) {
  const database = await openDatabase(databaseUrl, { poolSize: 1 })
  const since = new Map<string, number>()
  const takenMs: number[] = []
  let looks = 0
  let isOver = false
  const look = async () => {
    const rows = await database.many<{ claim: string }>(raw(ABANDONED), { timeoutMs: STATEMENT_MS })
    const abandoned = new Set(rows.map(({ claim }) => claim))
    const now = performance.now()
    for (const claim of abandoned) if (!since.has(claim)) since.set(claim, now)
    for (const [claim, began] of since)
      if (!abandoned.has(claim)) {
        since.delete(claim)
        takenMs.push(now - began)
      }
    looks += 1
  }
  const looking = (async () => {
    while (!isOver) {
      await look()
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
  })()
  return {
    /** Resolves when no claim of a dead process stands any more, as two looks have shown; how long each took so far. */
    async untilNone(): Promise<readonly number[]> {
      for (let seen = 0; seen < 2; ) {
        const before = looks
        while (looks === before) await new Promise((resolve) => setTimeout(resolve, LOOK_MS / 4))
        seen = since.size === 0 ? seen + 1 : 0
      }
      return takenMs
    },
    /** How long each took, in the order of their ends. */
    async stop(): Promise<number[]> {
      isOver = true
      await looking
      await database[Symbol.asyncDispose]()
      return takenMs
    },
  }
}
