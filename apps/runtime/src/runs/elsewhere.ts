import { setTimeout as pause } from 'node:timers/promises'
import { Failure, growingPauseMs, isFailureName } from '@platform/kernel'
import type {
  CallElsewhere,
  CalledElsewhere,
  Elsewhere,
  QueuedRun,
  RunSubject,
} from '../automations/model.ts'
import { interactionEvents } from './interaction-events.ts'
import { CALLER_ENDED, type RunChangeStore } from './run-change-store.ts'
import { shownFailure } from './run-now.ts'
import type { KeptOutcome, RunRecordStore } from './run-record-store.ts'
import type { Commits } from './run-store.ts'

interface Deps {
  readonly find: (call: CallElsewhere) => Promise<CalledElsewhere>
  readonly commits: Pick<Commits, 'writeEffects'>
  readonly outcomes: Pick<RunRecordStore, 'findOutcome'>
  readonly changes: Pick<RunChangeStore, 'cancel'>
  /** Works on a queued run here, without a place, unless somebody does already; resolves when that is over. */
  readonly workNow: (runId: string) => Promise<void>
}

const FIRST_LOOK_MS = 5
const LONGEST_LOOK_MS = 500

/**
 * Automations of other workspaces, called as runs of their own: with the contexts, limits and secrets of their
 * workspace, and in its list. The run is queued under an id made of the call, so that a caller who is done again finds
 * it there; it is worked on at once by the process that wants it, and by another when that one dies. It is cancelled
 * with the caller that waits for it.
 */
export const callsElsewhere = ({ find, commits, outcomes, changes, workNow }: Deps): Elsewhere => ({
  find,
  begin(call, called, id) {
    const run = queuedRun(call, called, id)
    return { run, events: eventsOf(run) }
  },

  async call(call, called, effect) {
    const { key, signal } = effect
    const run = queuedRun(call, called, key)
    const known = await outcomes.findOutcome(run.workspaceId, run.id)
    if (known === undefined) {
      const input = { ...run.input, isAwaited: true }
      await commits.writeEffects({ events: eventsOf(run), queued: [{ ...run, input }], patches: [] })
    }
    await Promise.race([workNow(run.id), whenAborted(signal)])
    for (let looks = 0; !signal.aborted; looks += 1) {
      const outcome = await outcomes.findOutcome(run.workspaceId, run.id)
      if (outcome !== undefined && outcome.finishedAt !== null) return answerOf(outcome, call)
      const ms = growingPauseMs(looks, { firstMs: FIRST_LOOK_MS, longestMs: LONGEST_LOOK_MS })
      await pause(ms, undefined, { signal }).catch(() => undefined)
    }
    // Whoever takes the caller over waits for the same run.
    if (!effect.goesOn) await changes.cancel({ workspaceId: run.workspaceId, runId: run.id }, CALLER_ENDED)
    throw signal.reason
  },
})

/** What is there only when everything is: runs call, and calls are runs. */
export const lateElsewhere = (get: () => Elsewhere): Elsewhere => ({
  find: (call) => get().find(call),
  begin: (...given) => get().begin(...given),
  call: (...given) => get().call(...given),
})

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })

function queuedRun(
  { caller, payload }: CallElsewhere,
  { workspaceId, automationSlug, priority }: CalledElsewhere,
  id: string,
): QueuedRun {
  const { correlationId, depth } = caller
  return {
    id,
    workspaceId,
    automationSlug,
    trigger: { type: 'automation', value: caller.automationSlug, id: caller.runId },
    correlationId,
    priority,
    input: { payload, caller: subjectThere(caller), depth },
  }
}

/** The person goes along; a connection and what the caller was shown do not. */
const subjectThere = ({ subject, workspaceId }: CallElsewhere['caller']): RunSubject => {
  const { socketId: _, authenticatedWorkspaceId: __, ...person } = subject
  return { ...person, sourceWorkspaceId: workspaceId }
}

const eventsOf = ({ id, workspaceId, automationSlug, trigger, correlationId, input }: QueuedRun) =>
  interactionEvents({
    runId: id,
    workspaceId,
    automation: automationSlug,
    trigger,
    subject: input.caller,
    correlationId,
  })

/** As a request would be answered. */
function answerOf({ status, output, error }: KeptOutcome, { automationSlug }: CallElsewhere): unknown {
  if (status === 'succeeded' && output !== null) return JSON.parse(output)
  if (status === 'succeeded')
    throw new Failure(
      'PayloadTooLarge',
      `The automation "${automationSlug}" answers more than a call may keep.`,
    )
  const { error: name = '', message = '', details } = error ?? {}
  const failure = isFailureName(name) ? new Failure(name, message, { details }) : undefined
  if (failure !== undefined && failure.status < 500) throw shownFailure(failure, error ?? {})
  throw new Failure(
    'InvalidInstructionError',
    `The automation "${automationSlug}" of the other workspace failed for a reason of the platform: try again.`,
  )
}
