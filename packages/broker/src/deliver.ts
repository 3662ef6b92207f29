import { setTimeout as pause } from 'node:timers/promises'
import type { EventRecord } from '@platform/contracts'
import { StoreError } from '@platform/kernel'
import { tracer } from '@platform/tracing'
import type { BrokerLog } from './log.ts'
import type { BatchHandler } from './queue.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000
/** Of a batch from many requests not all are told. */
const CORRELATION_IDS_TOLD = 20

/** One group's way of handling a batch. */
export interface Delivery {
  group: string
  handle: BatchHandler
  maxDeliveries: number
  signal: AbortSignal
  log: BrokerLog
  /** Keeps an event that failed alone too often. */
  giveUp(event: EventRecord, reason: string): Promise<void>
}

/**
 * Resolves when each event was handled or given up; rejects only when the signal aborts. A failing batch is tried twice, then in
 * halves, so that a few calls find the event that fails; a store that is away is waited for and counts as no try.
 */
export async function deliver(events: EventRecord[], delivery: Delivery): Promise<void> {
  const error = await attempt(events, delivery)
  if (error === undefined) return
  delivery.log.warn(
    { group: delivery.group, events: events.length, err: error },
    'batch failed, it is tried again',
  )
  if (events.length === 1) return await deliverAlone(events, delivery, error)
  await rest(0, delivery.signal)
  await deliverHalves(events, delivery)
}

async function deliverHalves(events: EventRecord[], delivery: Delivery): Promise<void> {
  const error = await attempt(events, delivery)
  if (error === undefined) return
  if (events.length === 1) return await deliverAlone(events, delivery, error)
  const middle = Math.ceil(events.length / 2)
  await deliverHalves(events.slice(0, middle), delivery)
  await deliverHalves(events.slice(middle), delivery)
}

async function deliverAlone(one: EventRecord[], delivery: Delivery, firstError: unknown): Promise<void> {
  let error: unknown = firstError
  for (let tries = 1; tries < delivery.maxDeliveries; tries++) {
    await rest(tries - 1, delivery.signal)
    error = await attempt(one, delivery)
    if (error === undefined) return
  }
  for (const event of one) {
    delivery.log.error(
      { group: delivery.group, eventId: event.id, type: event.type, err: error },
      'event given up',
    )
    await throughOutages(delivery, () => delivery.giveUp(event, reasonOf(error)))
  }
}

/** One try that counts; answers what was thrown. */
async function attempt(events: EventRecord[], delivery: Delivery): Promise<unknown> {
  try {
    await throughOutages(delivery, () => handled(events, delivery))
    return undefined
  } catch (error) {
    if (delivery.signal.aborted) throw error
    return error ?? new Error('The handler rejected without a reason.')
  }
}

/** Handles a batch, as a part of the trace that its events come from where they have one in common. */
async function handled(events: EventRecord[], { group, handle }: Delivery): Promise<void> {
  if (tracer === undefined) return await handle(events)
  const ids = new Set(events.map(({ source }) => source.correlationId))
  const [traceId] = ids.size === 1 ? ids : []
  const attributes = {
    'messaging.system': 'platform',
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': group,
    'messaging.batch.message_count': events.length,
    'platform.correlation_id': [...ids].slice(0, CORRELATION_IDS_TOLD).join(','),
  }
  const span = tracer.begin({ name: `process ${group}`, kind: 'consumer', attributes }, { traceId })
  await tracer.finish(span, () => handle(events))
}

/** Repeats `work` for as long as a store it needs is away. */
export async function throughOutages<T>(
  { group, signal, log }: Pick<Delivery, 'group' | 'signal' | 'log'>,
  work: () => Promise<T>,
): Promise<T> {
  for (let outages = 0; ; outages++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof StoreError && error.unavailable)) throw error
      if (outages === 0) log.warn({ group, err: error }, 'a store is away, the group waits')
      await rest(outages, signal)
    }
  }
}

/** Growing pauses with jitter; rejects when the signal aborts. */
async function rest(turn: number, signal: AbortSignal): Promise<void> {
  const longestMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(turn, 10))
  await pause(longestMs * (0.5 + Math.random() / 2), undefined, { signal })
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    .replaceAll('\0', '')
    .slice(0, 2000)
