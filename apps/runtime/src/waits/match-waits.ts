import type { BriefRecord } from '@platform/outbox'
import type { QueuedRun } from '../automations/model.ts'
import { type FulfilledWaits, fulfil, type MetWait } from './fulfilled-wait-store.ts'
import type { LookBack } from './look-back.ts'
import { eventsByType, keyOf, meet, type PlacedEvent, type Probed, probe, typeKey } from './meet-waits.ts'
import type { OpenWait, WaitStore } from './wait-store.ts'

type Deps = {
  readonly waits: Pick<WaitStore, 'listWaited' | 'find' | 'listPlaces' | 'readWhole'>
  readonly fulfilled: FulfilledWaits
  readonly past: Pick<LookBack, 'search'>
}

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
   * Ends the waits that events are for, and queues runs in the same transaction; false where there are none. What came
   * before a new wait was kept has the right of the first: the log is searched for it before.
   */
  async endWaits(events: readonly BriefRecord[], runs: Promise<readonly QueuedRun[]>): Promise<boolean> {
    const [met, queued] = await Promise.all([this.#match(events), runs])
    const unseen = met.flatMap(({ runId, hasLookedBack }) => (hasLookedBack ? [] : [runId]))
    if (unseen.length > 0) await this.#deps.past.search([...new Set(unseen)])
    if (met.length > 0) await fulfil(this.#deps.fulfilled, met, queued)
    return met.length > 0
  }

  async #match(events: readonly BriefRecord[]): Promise<MetWait[]> {
    const byType = eventsByType(events)
    if (byType.size === 0) return []
    const types = [...byType.values()].map(({ workspaceId, type }) => ({ workspaceId, type }))
    const waited = await this.#deps.waits.listWaited(types)
    const wanted = waited.flatMap(
      ({ workspaceId, event }) => byType.get(typeKey(workspaceId, event))?.events ?? [],
    )
    const probed = probe(await this.#deps.waits.readWhole([...new Set(wanted)]), waited)
    if (probed.size === 0) return []
    const open = await this.#deps.waits.find([...probed.values()].map((one) => one.probe))
    if (open.length === 0) return []
    return await meet(open, probed, await this.#placed(open, probed), false)
  }

  /** Those that may end one of these waits. */
  async #placed(open: readonly OpenWait[], probed: ReadonlyMap<string, Probed>): Promise<PlacedEvent[]> {
    const keys = new Set(open.map(keyOf))
    const records = new Map(
      [...keys].flatMap((key) => (probed.get(key)?.events ?? []).map((event) => [event.id, event] as const)),
    )
    const places = await this.#deps.waits.listPlaces([...records.keys()])
    return places.flatMap(({ id, xid, position }) => {
      const record = records.get(id)
      return record === undefined ? [] : [{ record, xid, position }]
    })
  }
}
