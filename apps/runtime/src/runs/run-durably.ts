import { Failure } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { ActiveRun } from '../automations/active-run.ts'
import { RunEnded } from '../automations/automation-failure.ts'
import type { Effects } from '../automations/effect-buffer.ts'
import type { RunOutcome } from '../automations/engine.ts'
import type { QueuedRun } from '../automations/model.ts'
import type { RunJournal } from '../automations/run-journal.ts'
import { type BegunRun, type LeasedRun, leaseLost } from './run.ts'
import { withDetails, withJournal } from './run-details.ts'
import { endWithOutput } from './run-end.ts'
import { answerOf, type ImmediateOrder, type RunNowParts, runSubjectOf, timeLimit } from './run-now.ts'
import type { RunStore } from './run-store.ts'

export interface DurableParts {
  readonly runs: Pick<RunStore, 'enqueue' | 'release'>
  /** Keeps the lease of a begun run, until the answer is called. */
  readonly hold: (leased: LeasedRun) => () => void
  readonly wakeWorkers: () => void
  /** The waits of a run were committed. */
  readonly onWaits: (runId: string) => void
  readonly worker: () => string
  readonly leaseSeconds: number
  /** How long a run may take that nobody waits for any more. */
  readonly timeLimitMs: number
  readonly log: Pick<Logger, 'warn'>
}

type Deps = RunNowParts & DurableParts

/**
 * A run that a request waits for and that goes on without it: at its first commit, which is before anything leaves, its
 * row says what it was called with and who works on it. When this process dies, another takes it over; when the
 * request has waited as long as it may, the queue does.
 */
export async function runDurably(deps: Deps, order: ImmediateOrder): Promise<string> {
  const durable = new DurableRun(deps, order)
  const run = queuedRun(order)
  const {
    run: active,
    journal,
    outcome,
  } = deps.engine.start({
    ...order,
    ...run.input,
    trigger: run.trigger,
    subject: run.input.caller,
    timeLimitMs: deps.timeLimitMs,
    repeatable: true,
    isUnknown: true,
    isAwaited: true,
    commit: (effects) => durable.commit(effects),
  })
  durable.leased.active = active
  const late = Promise.withResolvers<undefined>()
  const timer = setTimeout(late.resolve, timeLimit(order.deadlineAt, deps.times, deps.now()), undefined)
  try {
    const ended = await Promise.race([outcome, late.promise])
    if (ended === undefined) active.end(leaseLost())
    const result = ended ?? (await outcome)
    if (active.hasEnded || isAway(result)) return await durable.handOver()
    await durable.finish(active, result, journal)
    return answerOf(result)
  } finally {
    clearTimeout(timer)
    durable.letGo()
  }
}

/** What is stored of one run, and when. */
class DurableRun {
  readonly leased: LeasedRun
  readonly #deps: Deps
  readonly #order: ImmediateOrder
  readonly #startedAt = new Date()
  #isBegun = false
  letGo: () => void = () => undefined

  constructor(deps: Deps, order: ImmediateOrder) {
    this.#deps = deps
    this.#order = order
    const claim = { id: order.runId, attempt: 1 }
    this.leased = { claim, workspaceId: order.workspace.id, active: undefined }
  }

  async commit(effects: Effects): Promise<void> {
    if (this.#isBegun) await this.#commitAgain(effects)
    else await this.#begin(effects)
    if (effects.waits !== undefined) this.#deps.onWaits(this.leased.claim.id)
  }

  async #begin(effects: Effects): Promise<void> {
    await this.#deps.commits.writeBegun(this.#begunRun(effects))
    this.#isBegun = true
    this.letGo = this.#deps.hold(this.leased)
  }

  async #commitAgain(effects: Effects): Promise<void> {
    const { claim } = this.leased
    const counted = await this.#deps.commits.writeClaimed({ claim, effects, end: undefined })
    if (!counted) throw new RunEnded(leaseLost())
  }

  #begunRun(effects: Effects): BegunRun {
    const { worker, leaseSeconds } = this.#deps
    return {
      ...queuedRun(this.#order),
      startedAt: this.#startedAt,
      revision: this.#order.workspace.revision,
      worker: worker(),
      leaseSeconds,
      effects: withEvents(effects, this.#order),
    }
  }

  /** Writes the end; a run of which nothing was stored yet is written once, as any run of a request. */
  async finish(active: ActiveRun, outcome: RunOutcome, journal: RunJournal | undefined): Promise<void> {
    const { claim } = this.leased
    const end = endWithOutput(outcome, active)
    const isKept = this.#deps.details.keeps(active, end.status)
    const { hasWaited: forgetsWaits } = outcome
    if (this.#isBegun) {
      const effects = withJournal(outcome.effects, journal, isKept)
      if (!(await this.#deps.commits.writeClaimed({ claim, effects, end, forgetsWaits })))
        throw goesOn(claim.id)
      return
    }
    const { input, ...run } = queuedRun(this.#order)
    const { automation, workspace } = this.#order
    const effects = withDetails(outcome.effects, journal, isKept, { automation, workspace, input })
    await this.#deps.commits.writeFinished({
      ...run,
      ...end,
      startedAt: outcome.startedAt,
      subject: input.caller,
      input: end.status === 'failed' ? input : undefined,
      effects: withEvents(effects, this.#order),
    })
  }

  /** Any worker goes on with it. */
  async handOver(): Promise<never> {
    const { runs, wakeWorkers, log } = this.#deps
    const { claim } = this.leased
    try {
      if (!this.#isBegun) await runs.enqueue([queuedRun(this.#order)])
      else if (this.leased.isLost !== true) await runs.release([claim])
    } catch (err) {
      if (!this.#isBegun) throw err
      log.warn({ err, runId: claim.id }, 'a run was not given back, its lease must run out')
    }
    wakeWorkers()
    throw goesOn(claim.id)
  }
}

function queuedRun(order: ImmediateOrder): QueuedRun {
  const { runId: id, workspace, automation, correlationId, payload, triggerValue: value } = order
  return {
    id,
    workspaceId: workspace.id,
    automationSlug: automation.slug,
    trigger: { type: 'endpoint', value, id },
    correlationId,
    priority: workspace.priorityOf(automation.slug),
    input: { payload, caller: runSubjectOf(order), depth: order.calling?.depth ?? 0 },
  }
}

/** Events about the request itself are no effects of the run: whoever takes it over does not make them again. */
const withEvents = (effects: Effects, { events = [] }: ImmediateOrder): Effects => ({
  ...effects,
  events: [...events, ...effects.events],
})

/** Whoever takes it over finds the store again. */
const isAway = ({ failed }: RunOutcome): boolean => failed?.failure.name === 'ServiceUnavailable'

const goesOn = (runId: string) =>
  new Failure(
    'ServiceUnavailable',
    `The run ${runId} goes on without this request: look at it there, or ask again with the same Idempotency-Key.`,
    { retryAfterSeconds: 1, details: { runId } },
  )
