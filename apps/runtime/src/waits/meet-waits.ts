import type { EventRecord } from '@platform/contracts'
import type { BriefRecord } from '@platform/outbox'
import { isBehind, type LogPlace } from '../automations/wait-inbox.ts'
import type { MetWait } from './fulfilled-wait-store.ts'
import { hashesAt, matchesWait } from './wait-filter.ts'
import type { OpenWait, WaitedPath, WaitProbe } from './wait-store.ts'

/** An event of the log, and where it is there. */
export interface PlacedEvent extends LogPlace {
  readonly record: EventRecord
}

/** What waits an event can be for: those with one of these keys. */
export interface Probed {
  readonly probe: WaitProbe
  readonly events: EventRecord[]
}

/** Waits that are compared before others get their turn. */
const COMPARED = 500

/** By the keys of waits, for those paths in events of a type that anybody waits for. */
export function probe(events: readonly EventRecord[], paths: readonly WaitedPath[]): Map<string, Probed> {
  const byType = eventsByType(events)
  const probed = new Map<string, Probed>()
  for (const waited of paths)
    for (const event of byType.get(typeKey(waited.workspaceId, waited.event))?.events ?? [])
      for (const hash of hashesAt(event, waited.path)) {
        const key = keyOf({ ...waited, valueHash: hash })
        const one = probed.get(key) ?? { probe: { ...waited, hash }, events: [] }
        one.events.push(event)
        probed.set(key, one)
      }
  return probed
}

interface Typed<Event> {
  readonly workspaceId: string
  readonly type: string
  readonly events: Event[]
}

export function eventsByType<Event extends BriefRecord>(events: readonly Event[]): Map<string, Typed<Event>> {
  const byType = new Map<string, Typed<Event>>()
  for (const event of events) {
    const { workspaceId } = event.source
    if (workspaceId === undefined) continue
    const key = typeKey(workspaceId, event.type)
    const typed: Typed<Event> = byType.get(key) ?? { workspaceId, type: event.type, events: [] }
    typed.events.push(event)
    byType.set(key, typed)
  }
  return byType
}

/** Tells a type of a workspace from all others. */
export const typeKey = (workspaceId: string, type: string): string => keyText(workspaceId, type)

const keyText = (...parts: readonly (string | number)[]): string => parts.join('\n')

export const keyOf = ({ workspaceId, event, path, valueHash }: WaitedPath & { valueHash: number }): string =>
  keyText(workspaceId, event, path, valueHash)

/**
 * The waits that events end, each with the first one in the order of the log. With `isPast` only those that can't have
 * been seen by who handled the events. An event that starts nothing must be taken in the transaction that would start
 * something: such waits come first.
 */
export async function meet(
  open: readonly OpenWait[],
  probed: ReadonlyMap<string, Probed>,
  events: readonly PlacedEvent[],
  isPast: boolean,
): Promise<MetWait[]> {
  const ordered = [...events].sort((one, other) => (isBehind(one, other) ? 1 : -1))
  const ranked = new Map(ordered.map((event, rank) => [event.record.id, { ...event, rank }]))
  const first = new Map<string, Met>()
  for (const [index, wait] of open.entries()) {
    if (index % COMPARED === COMPARED - 1) await new Promise((resolve) => setImmediate(resolve))
    const key = `${wait.runId} ${wait.number}`
    const candidates = (probed.get(keyOf(wait))?.events ?? []).flatMap(({ id }) => ranked.get(id) ?? [])
    const best = candidates.reduce((before, event) => betterOf(wait, event, before, isPast), first.get(key))
    if (best !== undefined) first.set(key, best)
  }
  return [...first.values()].sort(
    (one, other) => Number(other.cancelTriggers) - Number(one.cancelTriggers) || one.rank - other.rank,
  )
}

interface Ranked extends PlacedEvent {
  /** In the order of the log. */
  readonly rank: number
}

type Met = MetWait & Pick<Ranked, 'rank'>

/** The event as what ends the wait, if that is so and it came before. */
function betterOf(wait: OpenWait, event: Ranked, best: Met | undefined, isPast: boolean): Met | undefined {
  const { record, rank } = event
  if (!isBefore(wait, rank, best) || !isMeant(wait, event, isPast)) return best
  return matchesWait(record, wait.filters) ? { ...wait, eventId: record.id, record, rank } : best
}

/** Where two alternatives are for the same event, that one counts which keeps it from starting anything. */
const isBefore = (wait: OpenWait, rank: number, best: Met | undefined): boolean =>
  best === undefined ||
  rank < best.rank ||
  (rank === best.rank && wait.cancelTriggers && !best.cancelTriggers)

function isMeant(wait: OpenWait, event: LogPlace, isPast: boolean): boolean {
  if (isPast && BigInt(event.xid) >= BigInt(wait.keptIn)) return false
  return wait.afterXid === null || isBehind(event, { xid: wait.afterXid, position: wait.afterPosition })
}
