import type { EventRecord } from '@platform/contracts'

/** An event that a run waits for. */
export interface WantedEvent {
  readonly event: string
  readonly filters: Readonly<Record<string, unknown>> | undefined
  /** True when it starts no automation if it ends the wait. */
  readonly cancelTriggers: boolean
}

/** What a run waits for: the first of these events, but no longer than this; without events just the time. */
export interface WaitOrder {
  readonly oneOf: readonly WantedEvent[]
  readonly timeoutMs: number
}

/** Where an event is in the log, which is read in this order: that of the transactions, and within each of them. */
export interface LogPlace {
  readonly xid: string
  readonly position: string
}

export const isBehind = (one: LogPlace, other: LogPlace): boolean => {
  const [xid, otherXid] = [BigInt(one.xid), BigInt(other.xid)]
  return xid === otherXid ? BigInt(one.position) > BigInt(other.position) : xid > otherXid
}

/** A wait for events that is to be kept, so that they find it. */
export interface NewWait {
  readonly runId: string
  readonly workspaceId: string
  readonly number: number
  readonly oneOf: readonly WantedEvent[]
  /** How long it lasts from now. */
  readonly leftMs: number
  /** The event behind which others count. */
  readonly after: { readonly id: string; readonly place?: LogPlace | undefined } | undefined
  /** Without one, or where the log does not know it any more, events count from this transaction on, if it is known. */
  readonly since: string | undefined
  /** True where it does not matter how long ago that is. */
  readonly looksFarBack: boolean
  /** Of a run with a journal: those since a commit count as well. */
  readonly origin: { readonly try: number; readonly sinceSegment: number } | undefined
}

/** What has come for a run. */
export interface Received {
  /** No event that is committed later is in a transaction before it. */
  readonly horizon: string
  /** Null where the time was over before an event came. */
  readonly answers: readonly ReceivedEvent[]
}

export interface ReceivedEvent {
  readonly number: number
  readonly event: EventRecord | null
  /** Undefined where the log does not have the event any more. */
  readonly place?: LogPlace | undefined
}

/** Where events come for runs that wait for them. */
export interface WaitInbox {
  /** Calls `look` when something may have come for a run. */
  watch(runId: string, look: () => void): Disposable
  list(runId: string): Promise<Received>
  /** The time of a wait is over: no event counts for it any more, unless one is there already. */
  close(runId: string, number: number): Promise<Received>
  /** Keeps a wait of a run that has no row. */
  open(wait: NewWait): Promise<void>
  /** Forgets all waits of such a run. */
  forget(runId: string): Promise<void>
  horizon(): Promise<string>
}

/** A run that is given up until one of its waits is over. */
export interface ParkedRun {
  readonly waitsFor: 'event' | 'time'
  /** When it goes on at the latest, from now. */
  readonly leftMs: number
}
