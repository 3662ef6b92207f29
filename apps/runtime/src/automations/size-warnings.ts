import type { EventRecord } from '@platform/contracts'
import { atMost, DAY_MS } from '@platform/kernel'
import type { EventLimits } from '@platform/outbox'
import { LRUCache } from 'lru-cache'
import type { StoredContext } from '../contexts/contexts.ts'
import { largeContextEvent } from './error-event.ts'
import type { FailedFrame } from './run-events.ts'

const MOST = 10_000

/** Warns the authors of a workspace once a day of a context that is about to be refused. */
export class SizeWarnings {
  readonly #given = new LRUCache<string, true>({ ...atMost(MOST), ttl: DAY_MS })

  /** The events that tell of the contexts a run has changed. */
  of(
    frame: FailedFrame,
    maxSizes: Readonly<Record<StoredContext, number>>,
    limits: EventLimits,
  ): EventRecord[] {
    const { contexts, workspace } = frame.run
    return contexts.listLarge(maxSizes).flatMap(([context, size]) => {
      const key = `${workspace.id} ${context}`
      if (this.#given.has(key)) return []
      this.#given.set(key, true)
      return [largeContextEvent(frame, { context, size, max: maxSizes[context] }, limits)]
    })
  }
}
