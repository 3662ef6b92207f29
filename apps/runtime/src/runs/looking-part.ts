import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { EventLimits } from '@platform/outbox'
import type { Part } from '@platform/service'
import type { Definitions } from '../definitions/definitions.ts'
import { inspections } from '../inspection/inspect-run.ts'
import type { ReadParts } from '../inspection/read-run.ts'
import { RunStreams } from '../inspection/run-streams.ts'
import { getRun } from './get-run.ts'
import { getRunState } from './get-run-state.ts'
import type { JournalStore } from './journal-store.ts'
import { listRuns } from './list-runs.ts'
import type { RunRecordStore } from './run-record-store.ts'
import { streamRun } from './stream-run.ts'

/** Runs that one workspace may follow at once, on each instance. */
const MOST_STREAMS = 50

interface Deps extends ReadParts {
  readonly records: RunRecordStore
  readonly journals: JournalStore
  readonly definitions: Definitions
  readonly clock: Clock
  readonly log: Logger
  /** Of what is shown of an input. */
  readonly events: EventLimits
}

/** Looking at runs. */
export function lookingPart(deps: Deps): Part {
  const streams = new RunStreams(MOST_STREAMS)
  const looking = { ...deps, limits: deps.events, streams, inspections: inspections(deps) }
  return {
    routes: [listRuns(looking), getRun(looking), getRunState(looking), streamRun(looking)],
    leaving: () => streams.close(),
  }
}
