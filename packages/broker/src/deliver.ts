import { setTimeout as pause } from 'node:timers/promises'
import type { EventRecord } from '@platform/contracts'
import { StoreError } from '@platform/kernel'
import { type Origin, tracer } from '@platform/tracing'
import type { BatchHandler, BrokerLog } from './broker.ts'
import { originOf } from './traces.ts'

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000

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
 * An event that failed alone, and behind it what came of the same workspace since: that waits, everybody else's goes
 * on.
 */
interface Blocked {
  first: EventRecord
  behind: EventRecord[]
  tries: number
  error: unknown
}

/** By workspace; what belongs to none is one more. */
type BlockedWorkspaces = Map<string | undefined, Blocked>

/**
 * Resolves when each event was handled or given up; rejects only when the signal aborts. A failing batch is tried
 * twice, then in halves, so that a few calls find the event that fails; only its own workspace waits for its further
 * tries. A store that is away is waited for and counts as no try.
 */
export async function deliver(events: EventRecord[], delivery: Delivery): Promise<void> {
  const error = await attempt(events, delivery)
  if (error === undefined) return
  delivery.log.warn(
    { group: delivery.group, events: events.length, err: error },
    'batch failed, it is tried again',
  )
  const holding: BlockedWorkspaces = new Map()
  const [first] = events
  if (first !== undefined && events.length === 1) block(holding, first, error)
  else {
    await rest(0, delivery.signal)
    await deliverHalves(events, holding, delivery)
  }
  await deliverBlocked(holding, delivery)
}

async function deliverHalves(
  events: EventRecord[],
  holding: BlockedWorkspaces,
  delivery: Delivery,
): Promise<void> {
  const free = events.filter((event) => !waitsBehind(holding, event))
  const [first] = free
  if (first === undefined) return
  const error = await attempt(free, delivery)
  if (error === undefined) return
  if (free.length === 1) return block(holding, first, error)
  const middle = Math.ceil(free.length / 2)
  await deliverHalves(free.slice(0, middle), holding, delivery)
  await deliverHalves(free.slice(middle), holding, delivery)
}

const block = (holding: BlockedWorkspaces, first: EventRecord, error: unknown): void =>
  void holding.set(first.source.workspaceId, { first, behind: [], tries: 1, error })

function waitsBehind(holding: BlockedWorkspaces, event: EventRecord): boolean {
  const held = holding.get(event.source.workspaceId)
  held?.behind.push(event)
  return held !== undefined
}

async function deliverBlocked(holding: BlockedWorkspaces, delivery: Delivery): Promise<void> {
  for (;;) {
    await giveUpSpent(holding, delivery)
    if (holding.size === 0) return
    const all = [...holding.values()]
    // One pause for all of them: many workspaces that fail take no longer than one.
    await rest(Math.min(...all.map(({ tries }) => tries)) - 1, delivery.signal)
    for (const held of all) {
      held.error = await attempt([held.first], delivery)
      held.tries += 1
      if (held.error === undefined) await goOn(held, holding, delivery)
    }
  }
}

async function giveUpSpent(holding: BlockedWorkspaces, delivery: Delivery): Promise<void> {
  for (const held of holding.values()) {
    if (held.tries < delivery.maxDeliveries) continue
    await giveUp(held, delivery)
    await goOn(held, holding, delivery)
  }
}

async function goOn(
  { first, behind }: Blocked,
  holding: BlockedWorkspaces,
  delivery: Delivery,
): Promise<void> {
  holding.delete(first.source.workspaceId)
  await deliverHalves(behind, holding, delivery)
}

async function giveUp({ first, error }: Blocked, delivery: Delivery): Promise<void> {
  const { group, log } = delivery
  const { id: eventId, type, source } = first
  log.error({ group, eventId, type, correlationId: source.correlationId, err: error }, 'event given up')
  await throughOutages(delivery, () => delivery.giveUp(first, reasonOf(error)))
}

/** One try that counts; answers what was thrown. */
async function attempt(events: EventRecord[], delivery: Delivery): Promise<unknown> {
  try {
    await throughOutages(delivery, () => handleBatch(events, delivery))
    return undefined
  } catch (error) {
    if (delivery.signal.aborted) throw error
    return error ?? new Error('The handler rejected without a reason.')
  }
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

/** Of a batch from many requests not all are told. */
const CORRELATION_IDS_MAX = 20

/**
 * Hands a batch to the handler of a group, as a part of the trace that its events come from where they have one in
 * common.
 */
export async function handleBatch(
  events: EventRecord[],
  { group, handle }: { group: string; handle: BatchHandler },
): Promise<void> {
  if (tracer === undefined) return await handle(events)
  const ids = new Set(events.map(({ source }) => source.correlationId))
  const attributes = {
    'messaging.system': 'platform',
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': group,
    'messaging.batch.message_count': events.length,
    'platform.correlation_id': [...ids].slice(0, CORRELATION_IDS_MAX).join(','),
  }
  const origin: Origin = originOf(events)
  const span = tracer.begin({ name: `process ${group}`, kind: 'consumer', attributes }, origin)
  await tracer.finish(span, () => handle(events))
}

const LONGEST_REASON = 2000

/** What is kept of an error with a dead letter. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    .replaceAll('\0', '')
    .slice(0, LONGEST_REASON)
