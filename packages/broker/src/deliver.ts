import { setTimeout as pause } from 'node:timers/promises'
import type { EventRecord } from '@platform/contracts'
import { growingPauseMs, StoreError } from '@platform/kernel'
import { type Origin, tracer } from '@platform/tracing'
import type { BatchHandler, BrokerLog } from './broker.ts'
import { originOf } from './traces.ts'

const PAUSES = { firstMs: 100, longestMs: 5000 }

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

/** An event that failed alone, and the later events of its workspace, which wait for it. Other workspaces go on. */
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
  const workspaces: BlockedWorkspaces = new Map()
  const [first] = events
  if (first !== undefined && events.length === 1) block(workspaces, first, error)
  else {
    await rest(0, delivery.signal)
    await deliverHalves(events, workspaces, delivery)
  }
  await deliverBlocked(workspaces, delivery)
}

async function deliverHalves(
  events: EventRecord[],
  workspaces: BlockedWorkspaces,
  delivery: Delivery,
): Promise<void> {
  const free = events.filter((event) => !waitsBehind(workspaces, event))
  const [first] = free
  if (first === undefined) return
  const error = await attempt(free, delivery)
  if (error === undefined) return
  if (free.length === 1) return block(workspaces, first, error)
  const middle = Math.ceil(free.length / 2)
  await deliverHalves(free.slice(0, middle), workspaces, delivery)
  await deliverHalves(free.slice(middle), workspaces, delivery)
}

const block = (workspaces: BlockedWorkspaces, first: EventRecord, error: unknown): void =>
  void workspaces.set(first.source.workspaceId, { first, behind: [], tries: 1, error })

function waitsBehind(workspaces: BlockedWorkspaces, event: EventRecord): boolean {
  const blocked = workspaces.get(event.source.workspaceId)
  blocked?.behind.push(event)
  return blocked !== undefined
}

async function deliverBlocked(workspaces: BlockedWorkspaces, delivery: Delivery): Promise<void> {
  for (;;) {
    await giveUpSpent(workspaces, delivery)
    if (workspaces.size === 0) return
    const all = [...workspaces.values()]
    // One pause for all of them: many workspaces that fail take no longer than one.
    await rest(Math.min(...all.map(({ tries }) => tries)) - 1, delivery.signal)
    for (const blocked of all) {
      blocked.error = await attempt([blocked.first], delivery)
      blocked.tries += 1
      if (blocked.error === undefined) await goOn(blocked, workspaces, delivery)
    }
  }
}

async function giveUpSpent(workspaces: BlockedWorkspaces, delivery: Delivery): Promise<void> {
  for (const blocked of workspaces.values()) {
    if (blocked.tries < delivery.maxDeliveries) continue
    await giveUp(blocked, delivery)
    await goOn(blocked, workspaces, delivery)
  }
}

async function goOn(
  { first, behind }: Blocked,
  workspaces: BlockedWorkspaces,
  delivery: Delivery,
): Promise<void> {
  workspaces.delete(first.source.workspaceId)
  await deliverHalves(behind, workspaces, delivery)
}

async function giveUp({ first, error }: Blocked, delivery: Delivery): Promise<void> {
  const { group, log } = delivery
  const { id: eventId, type, source } = first
  log.error({ group, eventId, type, correlationId: source.correlationId, err: error }, 'event given up')
  await throughOutages(delivery, () => delivery.giveUp(first, reasonOf(error)))
}

/** One try that counts; returns what was thrown. */
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
async function rest(failures: number, signal: AbortSignal): Promise<void> {
  await pause(growingPauseMs(failures, PAUSES), undefined, { signal })
}

/** Of a batch from many requests only the first correlation ids are written into the span. */
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

/** The text of an error as it is stored with a dead letter. */
export const reasonOf = (error: unknown): string =>
  (error instanceof Error ? `${error.name}: ${error.message}` : String(error))
    .replaceAll('\0', '')
    .slice(0, LONGEST_REASON)
