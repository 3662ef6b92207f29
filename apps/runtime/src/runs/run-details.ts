import { REDACTED } from '@platform/logging'
import type { Effects } from '../automations/effect-buffer.ts'
import type { CompiledAutomation, CompiledWorkspace, RunInput } from '../automations/model.ts'
import type { RunJournal } from '../automations/run-journal.ts'
import { measure } from '../contexts/value-size.ts'
import type { NextTry, RunEnd } from './run.ts'

/** Of which runs that have ended everything is kept that they can be looked at by. */
export type RunDetails = 'all' | 'failed' | 'none'

/** Characters of what is kept of a run that was stored at its end only. */
export const MAX_DETAILS = 100_000

type Ended = Pick<RunEnd | NextTry, 'status'>

const areKept = (details: RunDetails, status: string | undefined): boolean =>
  details === 'all' || (details === 'failed' && status !== 'succeeded')

/** What a run did before its workspace was suspended is kept in any case: it is retried from there. */
export const detailsFor = (
  { isSuspended }: { readonly isSuspended: boolean },
  details: RunDetails,
): RunDetails => (isSuspended && details === 'none' ? 'failed' : details)

/** What a run did last, with the end of its journal where that is kept. */
export function withJournal(
  effects: Effects,
  journal: RunJournal | undefined,
  details: RunDetails,
  end: Ended | undefined,
): Effects {
  if (journal === undefined || journal.hasStrayed || !areKept(details, end?.status)) return effects
  return { ...effects, segment: journal.close() }
}

/** The same of a run of which nothing was stored before: what it was called with is kept too, unless that is much. */
export function withDetails(
  effects: Effects,
  journal: RunJournal | undefined,
  details: RunDetails,
  {
    end,
    automation,
    workspace,
    input,
  }: {
    end: Ended
    automation: CompiledAutomation
    workspace: CompiledWorkspace
    input: RunInput
  },
): Effects {
  if (journal === undefined || !areKept(details, end.status)) return effects
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
