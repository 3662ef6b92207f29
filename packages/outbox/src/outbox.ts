import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Broker, type BrokerLog, insertEvents, readRecords, rememberTraces } from '@platform/broker'
import type { EventContract, EventRecord, EventSource, PayloadInputOf } from '@platform/contracts'
import { type Database, groupCommit, type Queries, type Sql, sql } from '@platform/database'
import { Failure, StoreError } from '@platform/kernel'
import { announcedTypes } from './announced-types.ts'
import { capEvent, defaultEventLimits, type EventLimits } from './cap-event.ts'
import { buildRecord, checkNative } from './event-record.ts'
import { startRelay } from './relay.ts'

/**
 * Events committed with the change that caused them (architecture 5.7). What was added is delivered once the
 * transaction commits, and never when it does not.
 */
export interface Outbox {
  /**
   * Adds a native event inside `tx`, its payload checked against its contract. Answers the record as it will be
   * delivered.
   */
  add<C extends EventContract>(
    tx: Queries,
    contract: C,
    payload: PayloadInputOf<C>,
    source: EventSource,
  ): Promise<EventRecord>
  /** Adds finished records inside `tx` with one statement; an id that is there already is left as it is. */
  addRecords(tx: Queries, records: readonly EventRecord[]): Promise<void>
  /**
   * Commits records whose ids were chosen by somebody who may send them again, all or none, and answers them as they
   * are kept: an event that is there already, of the same workspace and with the same content, is its own answer.
   * Throws `IdempotencyKeyReused` when an id belongs to anything else.
   */
  commitOnce(records: readonly EventRecord[]): Promise<EventRecord[]>
  /** Commits records in a transaction of their own, together with those of other callers (group commit). */
  commit(records: readonly EventRecord[]): Promise<void>
}

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
          return await storedRecords(tx, capped)
        }),
      )
    },
    async commit(records) {
      if (records.length === 0) return
      const capped = cap(records)
      rememberTraces(capped)
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

/**
 * The records as the log keeps them, in the order they are given. Throws `IdempotencyKeyReused` for an id that
 * belongs to another event. The words are the same whether that event is one of this workspace or not: nobody learns
 * of what is in another one.
 */
async function storedRecords(queries: Queries, records: readonly EventRecord[]): Promise<EventRecord[]> {
  const kept = new Map<string, EventRecord>()
  const ids = records.map(({ id }) => id)
  for (const record of await readRecords(queries, ids)) kept.set(record.id, record)
  return records.map((record) => {
    const known = kept.get(record.id)
    if (known !== undefined && isSameEvent(known, record)) return known
    throw new Failure(
      'IdempotencyKeyReused',
      `The id ${record.id} belongs to another event: choose a new one for each event.`,
      { details: { id: record.id } },
    )
  })
}

const isSameEvent = (known: EventRecord, record: EventRecord): boolean =>
  isDeepStrictEqual(contentOf(known), contentOf(record))

/** What the emitter chose, and where it went; as JSON knows it. */
const contentOf = ({ type, payload, target, options, source }: EventRecord): unknown =>
  JSON.parse(JSON.stringify({ type, payload, target, options, workspaceId: source.workspaceId }))

/** What PostgreSQL undid for the sake of another transaction: that one ends, and the work can be done. */
const UNDONE = new Set(['40001', '40P01'])
const MOST_TRIES = 3
const LONGEST_PAUSE_MS = 50

/**
 * Does work that is one transaction, and does it again, twice at most, where a deadlock or another transaction undid
 * it.
 */
export async function despiteDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (error) {
      const isUndone = error instanceof StoreError && UNDONE.has(error.code ?? '')
      if (!isUndone || tries === MOST_TRIES) throw error
      // Two that met would else meet again.
      await pause(Math.random() * LONGEST_PAUSE_MS)
    }
  }
}
