import type { EventRecord } from '@platform/contracts'
import type { QueuedRun } from '../automations/model.ts'
import type { FulfilledWaits, MetWait } from './fulfilled-wait-store.ts'
import { hashesAt, matchesWait } from './wait-filter.ts'
import type { OpenWait, WaitedPath, WaitProbe, WaitStore } from './wait-store.ts'

type Deps = {
  readonly waits: Pick<WaitStore, 'listWaited' | 'find' | 'listTransactions'>
  readonly fulfilled: FulfilledWaits
}

/** Waits that are fulfilled in one transaction. */
const BATCH = 1000
/** Waits that are compared before others get their turn. */
const COMPARED = 500

/**
 * Finds the waits that events end, and queues runs with it: one whose event was taken by a wait that cancels triggers
 * is ended before it begins. Nothing of it is kept in memory between two batches, so that it does not matter who
 * handles which.
 */
export class WaitMatcher {
  readonly #deps: Deps

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /**
   * The waits that these events end, in the order in which they are to be written. With `isPast` only those that can't
   * have been seen by who handled the events.
   */
  async match(events: readonly EventRecord[], isPast = false): Promise<MetWait[]> {
    const probed = await this.#probe(events)
    if (probed.size === 0) return []
    const probes = [...probed.values()].map(({ probe }) => probe)
    const open = await this.#deps.waits.find(probes)
    if (open.length === 0) return []
    const transactions = await this.#transactionsOf(open, probed)
    const places = new Map(events.map(({ id }, place) => [id, place]))
    const met: MetWait[] = []
    for (const [index, wait] of open.entries()) {
      if (index % COMPARED === COMPARED - 1) await new Promise((resolve) => setImmediate(resolve))
      const event = probed
        .get(keyText(wait.workspaceId, wait.event, wait.path, wait.valueHash))
        ?.events.find(
          (one) => isMeant(wait, transactions.get(one.id), isPast) && matchesWait(one, wait.filters),
        )
      if (event !== undefined)
        met.push({ ...wait, eventId: event.id, record: event, place: places.get(event.id) ?? 0 })
    }
    // An event that starts nothing must be taken in the transaction that would start something.
    return met.sort((one, other) => Number(other.cancelTriggers) - Number(one.cancelTriggers))
  }

  /** Ends the waits that events are for, and queues runs in the same transaction; false where there are none. */
  async endWaits(events: readonly EventRecord[], runs: Promise<readonly QueuedRun[]>): Promise<boolean> {
    const [met, queued] = await Promise.all([this.match(events), runs])
    if (met.length > 0) await this.fulfil(met, queued)
    return met.length > 0
  }

  /** Ends waits and queues runs in one transaction; what is too much for one comes after it. */
  async fulfil(met: readonly MetWait[], runs: readonly QueuedRun[]): Promise<void> {
    await this.#deps.fulfilled.write(met.slice(0, BATCH), runs)
    for (let at = BATCH; at < met.length; at += BATCH)
      await this.#deps.fulfilled.write(met.slice(at, at + BATCH), [])
  }

  /** What waits are to be looked for, each with the events that it is about, in their order. */
  async #probe(events: readonly EventRecord[]): Promise<Map<string, Probed>> {
    const byType = eventsByType(events)
    if (byType.size === 0) return new Map()
    const types = [...byType.values()].map(({ workspaceId, type }) => ({ workspaceId, type }))
    const probed = new Map<string, Probed>()
    for (const waited of await this.#deps.waits.listWaited(types))
      for (const event of byType.get(keyText(waited.workspaceId, waited.event))?.events ?? [])
        addProbes(probed, waited, event)
    return probed
  }

  async #transactionsOf(
    open: readonly OpenWait[],
    probed: ReadonlyMap<string, Probed>,
  ): Promise<Map<string, bigint>> {
    const ids = open.flatMap(
      (wait) => probed.get(keyText(wait.workspaceId, wait.event, wait.path, wait.valueHash))?.events ?? [],
    )
    const rows = await this.#deps.waits.listTransactions([...new Set(ids.map(({ id }) => id))])
    return new Map(rows.map(({ id, xid }) => [id, BigInt(xid)]))
  }
}

interface Probed {
  readonly probe: WaitProbe
  readonly events: EventRecord[]
}

interface Typed {
  readonly workspaceId: string
  readonly type: string
  readonly events: EventRecord[]
}

function eventsByType(events: readonly EventRecord[]): Map<string, Typed> {
  const byType = new Map<string, Typed>()
  for (const event of events) {
    const { workspaceId } = event.source
    if (workspaceId === undefined) continue
    const key = keyText(workspaceId, event.type)
    const typed = byType.get(key) ?? { workspaceId, type: event.type, events: [] }
    typed.events.push(event)
    byType.set(key, typed)
  }
  return byType
}

function addProbes(probed: Map<string, Probed>, waited: WaitedPath, event: EventRecord): void {
  const { workspaceId, event: type, path } = waited
  for (const hash of hashesAt(event, path)) {
    const key = keyText(workspaceId, type, path, hash)
    const one = probed.get(key) ?? { probe: { ...waited, hash }, events: [] }
    one.events.push(event)
    probed.set(key, one)
  }
}

const keyText = (...parts: readonly (string | number)[]): string => parts.join('\n')

const isMeant = ({ since, keptIn }: OpenWait, transaction: bigint | undefined, isPast: boolean): boolean =>
  transaction !== undefined &&
  (since === null || transaction >= BigInt(since)) &&
  (!isPast || transaction < BigInt(keptIn))
