import { setTimeout as pause } from 'node:timers/promises'
import type { EventRecord } from '@platform/contracts'
import type { Database } from '@platform/database'
import type { Msg } from 'nats'
import { BrokerError, type BrokerLog } from '../broker.ts'
import { storeDeadLetter } from '../dead-letters.ts'
import { type Delivery, throughOutages } from '../deliver.ts'
import { rememberTrace, TRACE_HEADER } from '../traces.ts'
import { remakeConsumer, requireUnchanged } from './group-consumer.ts'
import { pull, sequenceOf } from './pull.ts'
import type { EventStream } from './stream.ts'
import { isRegistered, loadSequence } from './stream-positions.ts'

/** What the groups of a stream read, and where they store how far they have come. */
export interface StreamSource {
  database: Database
  stream: EventStream
  log: BrokerLog
}

/** As many events may be on their way to a group. */
const MOST_OPEN = 1000
/** Dead letters that are asked for again wait as long. */
const IDLE_WAIT_MS = 2000

/** The next events of a group. */
export interface GroupBatch {
  events: EventRecord[]
  /** The sequence of the last one; undefined when nothing came. */
  sequence: number | undefined
  working(): void
  acknowledge(): void
}

export interface GroupReader {
  streamId: string
  /** Waits for news, two seconds at most, where there is nothing else to do. */
  next(options?: { isBusy: boolean }): Promise<GroupBatch>
}

/**
 * Reads a stream from where the group has come to. The durable consumer is made anew each time: what another process
 * had taken and not handled would otherwise come half a minute later, out of order.
 */
export async function openGroupReader(
  source: StreamSource,
  delivery: Delivery,
  maxBatch: number,
): Promise<GroupReader> {
  const { database, stream } = source
  const { group, signal } = delivery
  const { created, state } = await registeredStream(source, signal)
  const streamId = String(created)
  let done = await loadSequence(database, group, { id: streamId, firstSequence: state.first_seq })
  let isFresh = true
  const consumer = group.replace(/[^A-Za-z0-9_-]/g, '_')
  const own = { stream: stream.name, consumer, mostOpen: Math.max(MOST_OPEN, maxBatch) }
  const connection = await stream.use(async (up) => {
    await remakeConsumer(up, own, done + 1)
    return up
  })
  const ending = AbortSignal.any([signal, connection.lost])
  const ask = (batch: number, waitMs: number) =>
    stream.use(() => pull(connection.nc, { stream: stream.name, consumer, batch, waitMs, ending }))

  async function take(isBusy: boolean): Promise<Msg[]> {
    const waiting = await ask(maxBatch, 0)
    if (waiting.length > 0 || isBusy) return waiting
    const messages = await ask(1, IDLE_WAIT_MS)
    if (messages.length === 0) await stream.use(() => requireUnchanged(connection, own))
    return messages
  }

  async function next({ isBusy } = { isBusy: false }): Promise<GroupBatch> {
    const messages = await take(isBusy)
    const news = messages.filter((message) => sequenceOf(message) > done)
    // A consumer that was just made may begin after a gap, where the stream has dropped old events. A later gap means
    // that events were lost on their way.
    if (!isContiguous(news, done, isFresh)) {
      throw new BrokerError('The stream was delivered with a gap.', { unavailable: true })
    }
    if (news.length > 0) isFresh = false
    const last = news.at(-1)
    if (last !== undefined) done = sequenceOf(last)
    return {
      events: await readAll(source, delivery, news),
      sequence: last === undefined ? undefined : done,
      working: () => respondAll(messages, '+WPI'),
      acknowledge: () => respondAll(messages, '+ACK'),
    }
  }
  return { streamId, next }
}

const REGISTERED_MS = 100

/**
 * The stream once the relay has registered it. In a database that was restored from a backup there is none yet, and
 * what stands in NATS may be of a time that is not in the database any more: the relay makes the stream anew first.
 */
async function registeredStream({ database, stream }: StreamSource, signal: AbortSignal) {
  for (;;) {
    const found = await stream.ensure()
    if (await isRegistered(database, String(found.created))) return found
    await pause(REGISTERED_MS, undefined, { signal })
  }
}

function isContiguous(messages: Msg[], done: number, isFresh: boolean): boolean {
  const sequences = messages.map(sequenceOf)
  const first = isFresh ? (sequences[0] ?? 0) : done + 1
  return sequences.every((sequence, index) => sequence === first + index)
}

function respondAll(messages: Msg[], response: string): void {
  for (const message of messages) message.respond(response)
}

/** Reads the messages; one that is no JSON does not come from the relay and goes to the dead letters. */
async function readAll(
  { database }: StreamSource,
  delivery: Delivery,
  messages: Msg[],
): Promise<EventRecord[]> {
  const events: EventRecord[] = []
  for (const message of messages) {
    try {
      const event = message.json<EventRecord>()
      rememberTrace(event, message.headers?.get(TRACE_HEADER))
      events.push(event)
    } catch {
      const eventId = message.headers?.get('Nats-Msg-Id') || `sequence ${sequenceOf(message)}`
      const letter = { group: delivery.group, eventId, record: undefined, reason: 'The message is no JSON.' }
      await throughOutages(delivery, () => storeDeadLetter(database, letter))
    }
  }
  return events
}
