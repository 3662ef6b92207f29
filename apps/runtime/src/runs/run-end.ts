import type { ActiveRun } from '../automations/active-run.ts'
import type { RunOutcome } from '../automations/engine.ts'
import type { RunEnd } from './run.ts'

/** A larger answer is not kept for whoever asks for it again. */
const MAX_KEPT_OUTPUT = 1_000_000

/** What ended a run from outside, if anything did. */
export type Ending = Pick<ActiveRun, 'cancellation' | 'isSuspended'>

/**
 * A `finally` may have replaced what ended the run, or failed itself: a run that was cancelled has no other end. One
 * whose workspace is suspended is a dead letter at once.
 */
export function endOf({ error, durationMs }: RunOutcome, { cancellation, isSuspended }: Ending): RunEnd {
  if (cancellation !== undefined)
    return { status: 'cancelled', durationMs, error: error ?? cancellation.toJSON() }
  if (error === undefined) return { status: 'succeeded', durationMs, error }
  return { status: 'failed', durationMs, error, ...(isSuspended ? { isDeadLetter: true } : {}) }
}

/** The same with what the run answers, for a request that may ask for it once more. */
export function endWithOutput(outcome: RunOutcome, ending: Ending): RunEnd {
  const end = endOf(outcome, ending)
  if (end.status !== 'succeeded') return end
  const output = JSON.stringify(outcome.output) ?? '{}'
  return output.length > MAX_KEPT_OUTPUT ? end : { ...end, output }
}
