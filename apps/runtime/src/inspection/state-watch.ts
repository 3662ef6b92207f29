import type { ResolvedPath } from '@platform/expressions'
import type { Frame, StepObserver } from '../automations/model.ts'
import { Unseen, type Watching } from './step-watch.ts'

/** A step that a run was in. */
export interface Standing {
  readonly frame: Frame
  readonly path: string
}

/** Where a run stands. */
export class StandingPoint {
  /** The step that began last. */
  last: Standing | undefined
  /** The innermost step that was left when the run was stopped. */
  left: Standing | undefined
}

/** Finds the step that a run was in when it was stopped. */
export class StateWatch extends Unseen {
  readonly #point: StandingPoint
  readonly #standing: Standing | undefined

  constructor(watching: Watching, point: StandingPoint, standing?: Standing) {
    super(watching)
    this.#point = point
    this.#standing = standing
  }

  override begin(path: string, frame: Frame): StepObserver {
    this.count()
    const standing = { path, frame }
    if (!this.watching.seen.isFrozen) this.#point.last = standing
    return new StateWatch(this.watching, this.#point, standing)
  }

  override end(thrown: unknown): void {
    // What stops a run is thrown through the innermost step first.
    if (this.watching.seen.isFrozen) this.#point.left ??= this.#standing
    super.end(thrown)
  }

  override change(_frame: Frame, _path: ResolvedPath, change: () => void): void {
    change()
  }
}
