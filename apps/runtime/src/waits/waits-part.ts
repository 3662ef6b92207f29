import type { Database, Sql } from '@platform/database'
import { HOUR_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { inBatches, type Part } from '@platform/service'
import { cancelled } from '../automations/active-run-parts.ts'
import type { QueuedRun } from '../automations/model.ts'
import type { WaitInbox } from '../automations/wait-inbox.ts'
import { insertQueued } from '../runs/run-effect-store.ts'
import { insertEnded } from '../runs/run-store.ts'
import type { RunWaiting } from '../runs/runs-part.ts'
import { fulfilledWaits } from './fulfilled-wait-store.ts'
import { LookBack } from './look-back.ts'
import { WaitMatcher } from './match-waits.ts'
import { waitWriter, wakeDue } from './parked-run-store.ts'
import { RunInbox } from './run-inbox.ts'
import { waitStore } from './wait-store.ts'

/** Runs that wait for events, and the events that end their waits. */
export interface Waits extends RunWaiting {
  readonly inbox: WaitInbox
  readonly part: Part
}

const eventTaken = cancelled('a wait of another run took its event (cancelTriggers).').toJSON()

const taken = (runs: readonly QueuedRun[]): Sql => insertEnded(runs, eventTaken)

/** Orphans that one statement deletes. */
const BATCH = 1000

export function waitsPart({ database, log }: { database: Database; log: Logger }): Waits {
  const waits = waitStore(database)
  const fulfilled = fulfilledWaits(database, { queued: insertQueued, taken })
  const past = new LookBack({ waits, fulfilled, log })
  const matcher = new WaitMatcher({ waits, fulfilled, past })
  const lookBack = (runId: string) => past.add(runId)
  const inbox = new RunInbox({ waits, lookBack, log })
  return {
    inbox,
    writer: waitWriter,
    endWaits: (events, runs) => matcher.endWaits(events, runs),
    lookBack,
    hear: (runIds) => inbox.hear(runIds),
    wakeDue: (limit, aheadMs) => wakeDue(database, limit, aheadMs),
    part: {
      jobs: [
        past.job,
        inbox.job,
        {
          name: 'delete-waits-of-ended-runs',
          everyMs: HOUR_MS,
          run: (signal) => inBatches(BATCH, signal, (limit) => waits.deleteOrphans(limit)),
        },
      ],
    },
  }
}
