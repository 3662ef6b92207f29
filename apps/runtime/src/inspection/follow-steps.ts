import { AutomationFailure } from '../automations/automation-failure.ts'
import type { Frame, StepObserver } from '../automations/model.ts'
import type { FetchAttempt } from '../fetches/fetches.ts'
import { emptyStep, type SeenStep } from './seen-steps.ts'
import { type Position, Unseen, type Watching } from './step-watch.ts'

/** The steps of a run in the order in which they end, without what they worked with. */
export class FollowedSteps {
  readonly steps: SeenStep[] = []
  /** Steps that ended, also those before. */
  ended = 0
  readonly #skip: number
  readonly #most: number

  /** Those behind the first `skip`, at most `most`. */
  constructor(skip: number, most: number) {
    this.#skip = skip
    this.#most = most
  }

  add(step: SeenStep): void {
    this.ended += 1
    if (this.ended > this.#skip && this.steps.length < this.#most) this.steps.push(step)
  }
}

type At = Required<Pick<Position, 'round' | 'branch'>>

/** Sees one step, and those inside it. */
class Followed extends Unseen {
  readonly #followed: FollowedSteps
  readonly #at: At
  readonly #nowMs: () => number
  readonly #step: SeenStep | undefined

  constructor(
    watching: Watching,
    followed: FollowedSteps,
    nowMs: () => number,
    step?: SeenStep,
    at: At = { round: undefined, branch: undefined },
  ) {
    super(watching)
    this.#followed = followed
    this.#nowMs = nowMs
    this.#step = step
    this.#at = at
  }

  override begin(path: string, frame: Frame): StepObserver {
    this.count()
    const { round, branch } = this.#at
    const step = emptyStep({ place: '', path, round, branch }, frame, this.#nowMs())
    return new Followed(this.watching, this.#followed, this.#nowMs, step)
  }

  override inRound(round: number): StepObserver {
    return new Followed(this.watching, this.#followed, this.#nowMs, this.#step, { ...this.#at, round })
  }

  override inBranch(branch: number): StepObserver {
    return new Followed(this.watching, this.#followed, this.#nowMs, this.#step, { ...this.#at, branch })
  }

  override end(thrown: unknown): void {
    const step = this.#step
    if (step === undefined || this.watching.seen.isFrozen) return
    super.end(thrown)
    step.endedMs = this.#nowMs()
    step.failure = thrown instanceof AutomationFailure ? thrown : undefined
    this.#followed.add(step)
  }

  override effect(number: number): void {
    if (this.#step !== undefined) this.#step.number ??= number
  }

  override attempts(attempts: readonly FetchAttempt[]): void {
    const step = this.#step
    if (step !== undefined) step.attempts = [...(step.attempts ?? []), ...attempts]
  }

  override emitted({ id, type }: { readonly id: string; readonly type: string }): void {
    this.#step?.emitted.push({ id, type })
  }

  override started({ id }: { readonly id: string }): void {
    this.#step?.started.push(id)
  }
}

export const followSteps = (watching: Watching, followed: FollowedSteps, nowMs: () => number): StepObserver =>
  new Followed(watching, followed, nowMs)
