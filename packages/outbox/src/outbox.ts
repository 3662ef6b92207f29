import { isDeepStrictEqual } from 'node:util'
import {
  type Broker,
  type BrokerLog,
  insertEvents,
  readRecords,
  rememberTraces,
  wakeReaders,
} from '@platform/broker'
import type { EventContract, EventRecord, EventSource, PayloadInputOf } from '@platform/contracts'
import { type Database, groupCommit, type Queries, sql } from '@platform/database'
import { Failure, StoreError, triedAgain } from '@platform/kernel'
import {
  buildRecord,
  capEvent,
  checkNative,
  defaultEventLimits,
  type EventLimits,
  sizeOfRecords,
} from './event-record.ts'
import { startRelay } from './relay.ts'

/**
 * Events committed with the change that caused them (ADR 0016). What was added is delivered once the transaction
 * commits, and never when it does not.
 */
export interface Outbox {
  /**
   * Adds a native event inside `tx`, its payload checked against its contract. Returns the record as it will be
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
   * Commits records whose ids a client chose, which may send them again: all or none. Returns them as they are stored;
   * an event that is there already, of the same workspace and with the same content, is returned as it is. Throws
   * `IdempotencyKeyReused` when an id belongs to anything else.
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
  const append = (records: readonly EventRecord[]) => despiteDeadlocks(() => appendEvents(database, records))
  const group = groupCommit<EventRecord[]>((batches) => append(batches.flat()), {
    maxItems: 200,
    sizeOf: sizeOfRecords,
  })
  await using stack = new AsyncDisposableStack()
  if (broker.relayTarget !== undefined)
    stack.use(startRelay({ database, broker, target: broker.relayTarget, log }))
  const opened = stack.move()

  return {
    async add(tx, contract, payload, source) {
      const [record] = cap([
        buildRecord({ type: contract.type, payload: contract.payload.parse(payload), source }),
      ])
      if (record === undefined) throw new Error('An event must have a record.')
      await appendEvents(tx, [record], () => contract.everyInstance === true)
      return record
    },
    async addRecords(tx, records) {
      if (records.length > 0) await appendEvents(tx, cap(records))
    },
    async commitOnce(records) {
      const capped = cap(records)
      return await despiteDeadlocks(() =>
        database.transaction(async (tx) => {
          if (capped.length > 0) await appendEvents(tx, capped)
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
async function appendEvents(
  queries: Queries,
  records: readonly EventRecord[],
  isAnnounced?: () => boolean,
): Promise<void> {
  await queries.many(sql`with added as (${insertEvents(records, isAnnounced)}) select 1 where false`)
  wakeReaders(queries)
}

function withoutUndefined({ maxLength, executedMaxLength }: Partial<EventLimits>): Partial<EventLimits> {
  return {
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(executedMaxLength === undefined ? {} : { executedMaxLength }),
  }
}

/**
 * The records as they are in the log, in the order they are given. Throws `IdempotencyKeyReused` for an id that
 * belongs to another event. The message is the same whether that event is one of this workspace or not, so that
 * clients learn nothing of other workspaces.
 */
async function storedRecords(queries: Queries, records: readonly EventRecord[]): Promise<EventRecord[]> {
  const ids = records.map(({ id }) => id)
  const stored = new Map((await readRecords(queries, ids)).map((record) => [record.id, record]))
  return records.map((record) => {
    const known = stored.get(record.id)
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

/** PostgreSQL undid the work because another transaction was in its way; when that one has ended it can be done. */
const UNDONE = new Set(['40001', '40P01'])
const MOST_TRIES = 3
const LONGEST_PAUSE_MS = 50

/**
 * Does work that is one transaction, and does it again, twice at most, where a deadlock or another transaction undid
 * it.
 */
export const despiteDeadlocks = <T>(work: () => Promise<T>): Promise<T> =>
  triedAgain(work, {
    tries: MOST_TRIES,
    isPassing: (error) => error instanceof StoreError && UNDONE.has(error.code ?? ''),
    // Without a random pause two that met would meet again.
    pauseMs: () => Math.random() * LONGEST_PAUSE_MS,
  })
