import { REDACTED } from '@platform/logging'
import { createThrottle } from '@platform/rate-limits'
import type { Effects } from '../automations/effect-buffer.ts'
import type { CompiledAutomation, CompiledWorkspace, RunInput } from '../automations/model.ts'
import type { RunJournal } from '../automations/run-journal.ts'
import { measure } from '../contexts/value-size.ts'

/** Of which runs that have ended everything is kept that they can be looked at by. */
export type DetailsSetting = 'all' | 'sampled' | 'failed' | 'none'

/**
 * Of those that succeeded, so many of each workspace: whoever tries something out sees what each step did, and a
 * workspace that has thousands of runs a second does not pay for it.
 */
const SAMPLED = { perSecond: 5, burst: 20 }

/** What is kept of the runs of a process. */
export interface RunDetails {
  /** False where nothing is: then nothing has to be gathered. */
  readonly mayBeKept: boolean
  /** What a run did before its workspace was suspended is kept in any case: it is retried from there. */
  keeps(run: EndedRun, status: string | undefined): boolean
}

interface EndedRun {
  readonly isSuspended: boolean
  readonly workspace: { readonly id: string }
}

export function runDetails(setting: DetailsSetting): RunDetails {
  const samples = createThrottle({ runs: SAMPLED })
  const isSampled = ({ workspace: { id } }: EndedRun): boolean => {
    if (samples.take(id, 'runs', 1, performance.now()) === 0) return true
    samples.giveBack(id, 'runs', 1)
    return false
  }
  return {
    mayBeKept: setting !== 'none',
    keeps(run, status) {
      if (status !== 'succeeded') return setting !== 'none' || run.isSuspended
      return setting === 'sampled' ? isSampled(run) : setting === 'all'
    },
  }
}

/** Characters of what is kept of a run that was stored at its end only. */
export const MAX_DETAILS = 100_000

/** What a run did last, with the end of its journal where that is kept. */
export function withJournal(effects: Effects, journal: RunJournal | undefined, isKept: boolean): Effects {
  if (journal === undefined || journal.hasStrayed || !isKept) return effects
  return { ...effects, segment: journal.close() }
}

/** The same of a run of which nothing was stored before: what it was called with is kept too, unless that is much. */
export function withDetails(
  effects: Effects,
  journal: RunJournal | undefined,
  isKept: boolean,
  {
    automation,
    workspace,
    input,
  }: {
    automation: CompiledAutomation
    workspace: CompiledWorkspace
    input: RunInput
  },
): Effects {
  if (journal === undefined || !isKept) return effects
  if (measure(input.payload, MAX_DETAILS).excess !== undefined) return effects
  const kept = { ...input, payload: withoutCredentials(input.payload, automation) }
  const { durable: isDurable } = automation
  return { ...effects, segment: journal.close({ input: kept, revision: workspace.revision, isDurable }) }
}

/** A run that does not name the headers it got does the same without what its caller proved itself by. */
function withoutCredentials(
  payload: RunInput['payload'],
  { readsHeaders }: CompiledAutomation,
): RunInput['payload'] {
  const { headers } = payload
  if (readsHeaders || typeof headers !== 'object' || headers === null) return payload
  return 'authorization' in headers
    ? { ...payload, headers: { ...headers, authorization: REDACTED } }
    : payload
}
