import { type Broker, type BrokerLog, insertEvents, keepTraces } from '@platform/broker'
import type { EventRecord } from '@platform/contracts'
import { type Database, groupCommit, type Sql, sql } from '@platform/database'
import { announcedTypes } from './announced-types.ts'
import { buildRecord } from './build-record.ts'
import { capEvent, defaultEventLimits, type EventLimits } from './cap-event.ts'
import { checkNative } from './check-native.ts'
import { despiteDeadlocks } from './despite-deadlocks.ts'
import { keptRecords } from './kept-records.ts'
import type { Outbox } from './outbox.ts'
import { startRelay } from './relay.ts'

export interface OpenOutboxOptions extends Partial<EventLimits> {
  /** The database the changes themselves are written to; its log is the outbox. */
  database: Database
  broker: Broker
  log: BrokerLog
}

/** Callers with this many records have a statement of their own: together they would make one that is too long. */
const LARGE_COMMIT = 50

/** Opens the outbox of a database; where the broker is another system, one process of the cluster relays to it. */
export async function openOutbox(options: OpenOutboxOptions): Promise<Outbox & AsyncDisposable> {
  const { database, broker, log } = options
  const limits = { ...defaultEventLimits, ...withoutUndefined(options) }
  const cap = (records: readonly EventRecord[]) =>
    records.map((record) => capEvent(checkNative(record), limits))
  const append = (records: readonly EventRecord[]) =>
    despiteDeadlocks(() => database.many(appendEvents(records)))
  const group = groupCommit<EventRecord[]>(async (batches) => void (await append(batches.flat())), {
    maxItems: 200,
  })
  await using stack = new AsyncDisposableStack()
  if (broker.relayTarget !== undefined)
    stack.use(await startRelay({ database, broker, target: broker.relayTarget, log }))
  const opened = stack.move()

  return {
    async add(tx, contract, payload, source) {
      const [record] = cap([
        buildRecord({ type: contract.type, payload: contract.payload.parse(payload), source }),
      ])
      if (record === undefined) throw new Error('An event must have a record.')
      await tx.many(appendEvents([record], contract.everyInstance === true))
      return record
    },
    async addRecords(tx, records) {
      if (records.length > 0) await tx.many(appendEvents(cap(records)))
    },
    async commitOnce(records) {
      const capped = cap(records)
      return await despiteDeadlocks(() =>
        database.transaction(async (tx) => {
          if (capped.length > 0) await tx.many(appendEvents(capped))
          return await keptRecords(tx, capped)
        }),
      )
    },
    async commit(records) {
      if (records.length === 0) return
      const capped = cap(records)
      keepTraces(capped)
      if (capped.length < LARGE_COMMIT) await group.add(capped)
      else await append(capped)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** One round trip, and no rows come back. */
const appendEvents = (records: readonly EventRecord[], announced?: boolean): Sql =>
  sql`with added as (${insertEvents(records, (record) => announced ?? announcedTypes.has(record.type))}) select 1 where false`

function withoutUndefined({ maxLength, executedMaxLength }: Partial<EventLimits>): Partial<EventLimits> {
  return {
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(executedMaxLength === undefined ? {} : { executedMaxLength }),
  }
}
