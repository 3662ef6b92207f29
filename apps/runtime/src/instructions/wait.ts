import {
  durationMs,
  type EventRecord,
  EventType,
  isNeverWaitedFor,
  MAX_WANTED,
  runtimeEvents,
  type WaitArguments,
} from '@platform/contracts'
import { DAY_MS, Failure, isRecord, SECOND_MS } from '@platform/kernel'
import type { EventLimits } from '@platform/outbox'
import type { Frame } from '../automations/model.ts'
import { waitEvent } from '../automations/run-events.ts'
import type { WaitOrder, WantedEvent } from '../automations/wait-inbox.ts'
import { requireSize } from '../contexts/value-size.ts'
import { checkFilters } from '../waits/wait-filter.ts'
import { type Instruction, invalidInstruction } from './instruction.ts'

const DEFAULT_TIMEOUT_MS = 20 * SECOND_MS
/** Characters of the filters of one event. */
const MAX_FILTERS = 10_000

/** wait: for the first of several events, or for a time. What the run needs for it is kept, the run is not. */
export const wait = (limits: EventLimits): Instruction<WaitArguments> => ({
  name: 'wait',
  compile(args, { texts, path }) {
    const readOneOf = texts.reader(args.oneOf)
    const readTimeout = texts.reader(args.timeout)
    const write = texts.writer(args.output)
    return async (frame) => {
      const oneOf = args.oneOf === undefined ? [] : wantedEvents(readOneOf(frame))
      const timeoutMs = timeoutOf(readTimeout(frame), frame.run.maxWaitMs)
      frame.observed?.input({ oneOf, timeout: timeoutMs / SECOND_MS })
      const event = await waitIn(frame, path, { oneOf, timeoutMs }, limits)
      frame.observed?.output(event ?? null)
      write(frame, event)
    }
  },
})

/** Tells of a wait for events, and that one has come. */
async function waitIn(
  frame: Frame,
  path: string,
  order: WaitOrder,
  limits: EventLimits,
): Promise<EventRecord | undefined> {
  const { run } = frame
  if (order.oneOf.length === 0) return await run.waitFor(frame, path, order)
  const id = run.effectId(frame, `${path} pending`)
  const expiresAt = run.readClock().getTime() + order.timeoutMs
  const shown = { oneOf: order.oneOf, timeout: order.timeoutMs / SECOND_MS }
  await run.record(waitEvent(frame, runtimeEvents.waitsPending, id, { id, expiresAt, wait: shown }, limits))
  const event = await run.waitFor(frame, path, order)
  frame.strand.hear(event, order.timeoutMs)
  if (event === undefined) return undefined
  const fulfilledId = run.effectId(frame, `${path} fulfilled`)
  await run.record(waitEvent(frame, runtimeEvents.waitsFulfilled, fulfilledId, { id, event }, limits))
  return event
}

function wantedEvents(given: unknown): WantedEvent[] {
  if (!Array.isArray(given) || given.length === 0)
    throw invalidInstruction('wait.oneOf must be a list of events: leave it out to wait for a time.')
  if (given.length > MAX_WANTED)
    throw invalidInstruction(`wait.oneOf has ${given.length} events; at most ${MAX_WANTED} are allowed.`)
  return given.map((one: unknown, index) => wantedEvent(one, `wait.oneOf[${index}]`))
}

function wantedEvent(given: unknown, place: string): WantedEvent {
  if (!isRecord(given)) throw invalidInstruction(`${place} must have an event and may have filters.`)
  const { success, data: event } = EventType.safeParse(given.event)
  if (!success) throw invalidInstruction(`${place}.event must be 1–200 characters of [a-zA-Z0-9 ._-].`)
  if (isNeverWaitedFor(event))
    throw invalidInstruction(`${place}.event can’t be "${event}": contexts are read again after each wait.`)
  return {
    event,
    filters: filtersOf(given.filters, place),
    cancelTriggers: given.cancelTriggers === true || given.cancelTriggers === 'true',
  }
}

function filtersOf(given: unknown, place: string): WantedEvent['filters'] {
  if (given === undefined || given === null) return undefined
  if (!isRecord(given)) throw invalidInstruction(`${place}.filters must be an object.`)
  requireSize(given, MAX_FILTERS, () => `What ${place}.filters asks for`)
  // As it is kept: what can't be written as JSON is as good as missing.
  const filters = JSON.parse(JSON.stringify(given)) as Record<string, unknown>
  checkFilters(filters)
  return Object.keys(filters).length === 0 ? undefined : filters
}

function timeoutOf(given: unknown, maxMs: number): number {
  if (given === undefined || given === null) return DEFAULT_TIMEOUT_MS
  const timeoutMs = durationMs(given)
  if (timeoutMs === undefined)
    throw invalidInstruction('wait.timeout must be a number of seconds, or one with ms, s, m, h or d.')
  if (timeoutMs <= maxMs) return timeoutMs
  throw new Failure(
    'InvalidInstructionError',
    `wait.timeout is longer than the ${maxMs / DAY_MS} days a wait may take (RUN_MAX_WAIT_DAYS).`,
  )
}
