import type { Failure } from '@platform/kernel'
import type { RunOutcome } from '../automations/engine.ts'
import type { RunEnd } from './run.ts'

/** A larger answer is not kept for whoever asks for it again. */
const MAX_KEPT_OUTPUT = 1_000_000

/** A `finally` may have replaced what ended the run, or failed itself: a run that was cancelled has no other end. */
export function endOf({ error, durationMs }: RunOutcome, cancellation: Failure | undefined): RunEnd {
  if (cancellation !== undefined)
    return { status: 'cancelled', durationMs, error: error ?? cancellation.toJSON() }
  return { status: error === undefined ? 'succeeded' : 'failed', durationMs, error }
}

/** The same with what the run answers, for a request that may ask for it once more. */
export function endWithOutput(outcome: RunOutcome, cancellation: Failure | undefined): RunEnd {
  const end = endOf(outcome, cancellation)
  if (end.status !== 'succeeded') return end
  const output = JSON.stringify(outcome.output) ?? '{}'
  return output.length > MAX_KEPT_OUTPUT ? end : { ...end, output }
}
