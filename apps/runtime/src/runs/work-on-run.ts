import { setTimeout as pause } from 'node:timers/promises'
import { type EventRecord, errorEvent } from '@platform/contracts'
import { derivedUuidv7, StoreError } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { buildRecord } from '@platform/outbox'
import type { Engine, RunOutcome } from '../automations/engine.ts'
import type { Effects } from '../automations/event-buffer.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { Commits } from './commit-store.ts'
import { type ClaimedRun, type ClaimedWork, MAX_ATTEMPTS, type RunEnd } from './run.ts'
import type { HeldRun } from './work-queue.ts'

interface Deps {
  readonly engine: Engine
  readonly definitions: Definitions
  readonly commits: Commits
  readonly timeLimitMs: number
  readonly log: Logger
}

const RETRY_MS = 500
const nothing: Effects = { events: [], queued: [], patches: [] }

/** Does a claimed run and commits what came of it, as long as nobody else has claimed it meanwhile. */
export const workOnRun =
  (deps: Deps) =>
  async (run: ClaimedRun, held: HeldRun, signal: AbortSignal): Promise<void> => {
    const { claim } = held
    if (run.attempt > MAX_ATTEMPTS) return await write(deps, { claim, ...givenUp(run) }, signal)
    const workspace = await deps.definitions.find(run.workspaceId)
    const automation = workspace?.find(run.automationSlug)
    if (workspace === undefined || automation === undefined || automation.disabled) {
      return await write(deps, { claim, effects: nothing, end: cancelled }, signal)
    }

    const { chain, outcome } = deps.engine.start({
      runId: run.id,
      workspace,
      automation,
      payload: run.input.payload,
      trigger: triggerOf(run),
      caller: run.input.caller,
      correlationId: run.correlationId,
      depth: run.input.depth,
      timeLimitMs: deps.timeLimitMs,
      repeatable: true,
      commit: (effects) => commitSoFar(deps.commits, { claim, effects, end: undefined }),
    })
    held.chain = chain
    const result = await outcome

    if (result.failed?.failure.status === 500) {
      deps.log.error(
        { err: result.failed.failure, runId: run.id },
        'an automation failed for a reason of ours',
      )
    }
    if (chain.hasEnded) return
    await write(deps, { claim, effects: result.effects, end: endOf(result) }, signal)
  }

const triggerOf = ({ triggerType, triggerValue, triggerId }: ClaimedRun) => ({
  type: triggerType,
  value: triggerValue,
  ...(triggerId === null ? {} : { id: triggerId }),
})

const endOf = ({ failed, durationMs }: RunOutcome): RunEnd => ({
  status: failed === undefined ? 'succeeded' : 'failed',
  durationMs,
  error: failed?.failure.toJSON(),
})

const cancelled: RunEnd = {
  status: 'cancelled',
  durationMs: 0,
  error: {
    error: 'ObjectNotFoundError',
    message: 'The automation was deleted or disabled before it could run.',
  },
}

async function commitSoFar(commits: Commits, work: ClaimedWork): Promise<void> {
  if (!(await commits.claimed(work))) throw new Error('Somebody else has claimed the run.')
}

/** A store that is away is waited for; what it can't take for a reason of the data ends the run without its effects. */
async function write(deps: Deps, work: ClaimedWork, signal: AbortSignal): Promise<void> {
  for (;;) {
    const error = await attempt(deps.commits, work)
    if (error === undefined) return
    if (!(error instanceof StoreError && error.unavailable)) return await writeUnstorable(deps, work, error)
    if (signal.aborted) throw error
    await pause(RETRY_MS)
  }
}

const attempt = (commits: Commits, work: ClaimedWork): Promise<unknown> =>
  commits.claimed(work).then(
    () => undefined,
    (error: unknown) => error,
  )

async function writeUnstorable(deps: Deps, { claim }: ClaimedWork, cause: unknown): Promise<void> {
  deps.log.error({ err: cause, runId: claim.id }, 'what a run did could not be kept')
  const error = { error: 'InternalError', message: 'What the run did could not be kept.' }
  await deps.commits.claimed({ claim, effects: nothing, end: { status: 'failed', durationMs: 0, error } })
}

/** A run whose workers died again and again does so for a reason of its own: it is put aside and everybody is told. */
function givenUp(run: ClaimedRun): Pick<ClaimedWork, 'effects' | 'end'> {
  const error = {
    error: 'TooManyAttempts',
    message: `The run was given up after ${MAX_ATTEMPTS} attempts, because none of them ended.`,
  }
  const details = { automationSlug: run.automationSlug, instruction: 'do', runId: run.id }
  const event: EventRecord = buildRecord({
    type: errorEvent.type,
    payload: { type: error.error, message: error.message, details },
    source: {
      workspaceId: run.workspaceId,
      correlationId: run.correlationId,
      automationSlug: run.automationSlug,
      automationDepth: run.input.depth + 1,
      host: { service: 'runtime' },
    },
    id: derivedUuidv7(run.id, run.id, 'given up'),
  })
  const record: EventRecord = { ...event, error: { ...error, details, level: 'error' } }
  return {
    effects: { ...nothing, events: [record] },
    end: { status: 'failed', durationMs: 0, error, isDeadLetter: true },
  }
}
