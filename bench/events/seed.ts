import { type Database, openDatabase, raw, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { ensurePartitions, wordsIn } from '@platform/search'

const BATCH = 5000
const DAYS = 30
const DAY_MS = 86_400_000
const LONG_MS = 600_000
const TYPES = ['order.placed', 'order.paid', 'order.sent', 'mail.sent', 'page.viewed']
const CITIES = ['Lyon', 'Lille', 'Nice', 'Hamburg', 'Porto', 'Turin', 'Ghent', 'Graz', 'Bern', 'Riga']

/** What to ask for: some ids, and values that many or few events have. */
export interface Seeded {
  ids: string[]
  types: string[]
  cities: string[]
  customer: (random: number) => string
}

/**
 * Writes `count` events of the last 30 days into the log of a workspace, past the platform; indexes over words and
 * fields are made at the end.
 */
export async function seed(databaseUrl: string, workspaceId: string, count: number): Promise<Seeded> {
  await using database = await openDatabase(databaseUrl)
  const startMs = Date.now() - DAYS * DAY_MS
  await ensurePartitions(database, new Date(startMs))
  const putBack = await dropSlowIndexes(database)
  const ids: string[] = []
  for (let from = 0; from < count; from += BATCH) {
    const events = Array.from({ length: Math.min(BATCH, count - from) }, (_, index) =>
      eventOf(workspaceId, from + index, startMs + ((from + index) / count) * DAYS * DAY_MS),
    )
    ids.push(events[0]?.id ?? '')
    await insert(database, workspaceId, events)
  }
  await putBack()
  await database.many(raw('vacuum analyze search.documents'), { timeoutMs: LONG_MS })
  return { ids, types: TYPES, cities: CITIES, customer: (random) => `c${Math.floor((random * count) / 50)}` }
}

/** An event as the platform would have kept it: some 400 bytes, with a customer of 50 events. */
function eventOf(workspaceId: string, number: number, ms: number) {
  const at = <T>(list: readonly T[]): T => list[(number * 7919) % list.length] as T
  const payload = {
    order: {
      id: number,
      customer: `c${(number * 31) % Math.ceil((number + 50) / 50)}`,
      total: (number % 9973) / 100,
    },
    city: at(CITIES),
    note: `Parcel ${number} leaves ${at(CITIES)} with carrier ${number % 100}`,
  }
  return {
    id: uuidv7(ms),
    type: at(TYPES),
    source: {
      workspaceId,
      userId: `user-${number % 200}`,
      correlationId: `correlation-${number}`,
      ip: '192.0.2.7',
    },
    payload,
    createdAt: new Date(ms).toISOString(),
    size: JSON.stringify(payload).length,
  }
}

async function insert(
  database: Database,
  workspaceId: string,
  events: ReturnType<typeof eventOf>[],
): Promise<void> {
  const ids = events.map(({ id }) => id)
  const texts = events.map((event) => JSON.stringify(event))
  const words = events.map((event) => wordsIn(event).join(' '))
  const rows = sql`
    insert into search.documents (id, stream, document, words)
    select input.id, ${`events-${workspaceId}`}, input.document::jsonb, input.words::tsvector
    from unnest(${ids}::uuid[], ${texts}::text[], ${words}::text[]) as input (id, document, words)`
  await database.many(rows, { timeoutMs: LONG_MS })
}

/** Answers what makes them again. */
async function dropSlowIndexes(database: Database): Promise<() => Promise<void>> {
  const indexes = await database.many<{ name: string; definition: string }>(sql`
    select indexname as name, indexdef as definition from pg_indexes
    where schemaname = 'search' and tablename = 'documents' and indexdef like '% USING gin %'`)
  for (const { name } of indexes) await database.many(raw(`drop index search.${name}`))
  return async () => {
    for (const { definition } of indexes)
      await database.many(raw(definition.replace(' ON ONLY ', ' ON ')), { timeoutMs: LONG_MS })
  }
}
