import type { CallingRun, Principal } from '@platform/auth'
import type { EventRecord } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { Engine, RunOrder, RunOutcome } from '../automations/engine.ts'
import type { HttpAnswer, RunSubject } from '../automations/model.ts'
import { MAX_OUTPUT } from '../contexts/value-size.ts'
import { MAX_DETAILS, type RunDetails, withDetails } from './run-details.ts'
import { endOf } from './run-end.ts'
import type { StoredError } from './run-record.ts'
import type { Commits } from './run-store.ts'

/** A run that a request waits for. */
export type ImmediateOrder = Pick<
  RunOrder,
  'runId' | 'workspace' | 'automation' | 'payload' | 'correlationId'
> & {
  readonly principal: Principal | undefined
  readonly ip: string
  /** The run that has sent the request. */
  readonly calling?: CallingRun | undefined
  readonly triggerValue: string
  /** Unix milliseconds at which the request is given up. */
  readonly deadlineAt: number
  /** How the automation shapes the answer. */
  readonly http?: HttpAnswer
  /** Other events that are committed with the run. */
  readonly events?: readonly EventRecord[]
}

export interface RunTimes {
  readonly maxMs: number
  readonly gatewayTimeoutMs: number
}

/** Leaves the time to write the end of the run and to respond before the request is given up. */
const RESERVE_MS = 5000
const SHORTEST_MS = 100

/** Runs an automation and answers its output as JSON, once the run and all it did are committed. */
export type RunNow = (order: ImmediateOrder) => Promise<string>

export interface RunNowParts {
  readonly engine: Engine
  readonly commits: Commits
  readonly times: RunTimes
  readonly now: () => number
  readonly details: RunDetails
}

/** In one of its two ways; `durably` is the one of automations that say so. */
export const runNow =
  (deps: RunNowParts, durably: (order: ImmediateOrder) => Promise<string>): RunNow =>
  async (order) => {
    if (order.automation.durable) return await durably(order)
    const { runId, workspace, automation, correlationId, payload } = order
    const trigger = { type: 'endpoint' as const, value: order.triggerValue, id: runId }
    const subject = runSubjectOf(order)
    const depth = order.calling?.depth ?? 0
    const { run, journal, outcome } = deps.engine.start({
      runId,
      workspace,
      automation,
      payload,
      trigger,
      subject,
      correlationId,
      depth,
      timeLimitMs: timeLimit(order.deadlineAt, deps.times, deps.now()),
      repeatable: false,
      recordsAtMost: deps.details.mayBeKept ? MAX_DETAILS : undefined,
      http: order.http,
      commit: (effects) => deps.commits.writeEffects(effects),
    })
    order.http?.whenStreaming(() => run.extend(deps.times.maxMs))
    for (const event of order.events ?? []) run.accompany(event)
    const result = await outcome
    const { startedAt } = result
    const end = endOf(result, run)
    const input = { payload, caller: subject, depth }
    const effects = withDetails(result.effects, journal, deps.details.keeps(run, end.status), {
      automation,
      workspace,
      input,
    })
    await deps.commits.writeFinished({
      id: runId,
      workspaceId: workspace.id,
      automationSlug: automation.slug,
      trigger,
      correlationId,
      startedAt,
      ...end,
      subject,
      effects,
    })
    return answerOf(result)
  }

/** The output of a run whose end is written, as JSON. Throws what it failed with. */
export function answerOf({ output, failed, error }: RunOutcome): string {
  if (failed !== undefined) throw shownFailure(masked(failed.failure, error), failed)
  return textOf(output)
}

/** The failure as its record has it: a caller may not be who gave the secrets that a message repeats. */
function masked(failure: Failure, shown: RunOutcome['error']): Failure {
  if (shown === undefined || isSame(failure, shown)) return failure
  const { retryAfterSeconds } = failure
  return new Failure(failure.name, shown.message, {
    details: shown.details,
    cause: failure,
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  })
}

const isSame = (failure: Failure, shown: NonNullable<RunOutcome['error']>): boolean =>
  failure.message === shown.message && JSON.stringify(failure.details) === JSON.stringify(shown.details)

type Request = Pick<ImmediateOrder, 'principal' | 'ip' | 'calling'> & { workspace: { readonly id: string } }

/** The person a request comes from, as `user` and `session` show them; an API key and a workspace are no persons. */
export function runSubjectOf({ principal, ip, calling, workspace }: Request): RunSubject {
  const from = calling === undefined ? { ip } : { ip, ...sourceOf(principal, calling, workspace.id) }
  if (principal?.kind !== 'user') return from
  const { userId, sessionId, email, anonymous } = principal
  return { userId, sessionId: sessionId === '' ? undefined : sessionId, email, anonymous, ...from }
}

const sourceOf = (principal: Principal | undefined, { workspaceId }: CallingRun, ownId: string) => ({
  ...(workspaceId === ownId ? {} : { sourceWorkspaceId: workspaceId }),
  ...(principal?.kind === 'workspace' ? { authenticatedWorkspaceId: principal.workspaceId } : {}),
})

/**
 * 404 says that there is no such automation. This one ran, and something it needs was not found: with 404 the caller
 * would look for a mistake in the address.
 */
export function shownFailure(
  failure: Failure,
  {
    automationSlug = '',
    instruction = '',
  }: Partial<Pick<StoredError, 'automationSlug' | 'instruction'>> = {},
): Failure {
  if (failure.status !== 404) return failure
  const message = `The automation "${automationSlug}" ran and failed at ${instruction}: ${failure.message}`
  return new Failure('InvalidInstructionError', message, {
    details: { automationSlug, instruction },
    cause: failure,
  })
}

/** The least of what the run, its caller and the gateway allow. */
export const timeLimit = (deadlineAt: number, times: RunTimes, now: number): number =>
  Math.max(
    SHORTEST_MS,
    Math.min(times.maxMs, withoutReserve(deadlineAt - now), withoutReserve(times.gatewayTimeoutMs)),
  )

/** Where five seconds would be most of the time, half of it is left to the run. */
const withoutReserve = (ms: number): number => Math.max(ms - RESERVE_MS, ms / 2)

function textOf(output: unknown): string {
  const text = JSON.stringify(output) ?? '{}'
  if (text.length <= MAX_OUTPUT) return text
  throw new Failure('PayloadTooLarge', `The output has ${text.length} characters; ${MAX_OUTPUT} are allowed.`)
}
