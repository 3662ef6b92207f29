import type { FunctionLog } from '@platform/custom-code'
import type { ResolvedPath } from '@platform/expressions'
import { withoutSecretFields } from '@platform/logging'
import { AutomationFailure } from '../automations/automation-failure.ts'
import type { CompiledAutomation, Frame, QueuedRun, StepObserver } from '../automations/model.ts'
import { shownRequest } from '../fetches/failed-fetch.ts'
import type { FetchRequest } from '../fetches/fetch-request.ts'
import type { FetchAttempt } from '../fetches/fetches.ts'
import type { SeenList, SeenStep, SeenSteps } from './seen-steps.ts'

/** Steps between two looks at the clock. */
const STRIDE = 64

export interface Watching {
  readonly seen: SeenSteps
  /** Called now and then; throws when the run is to be left. */
  readonly lookUp: () => void
  /** Everything that was wanted has been seen. Throws. */
  readonly finish: () => void
}

/** Where a step stands: its path, with rounds of the repeats and the calls around it. */
export interface Position {
  readonly place: string
  readonly path: string
  readonly depth: number
  readonly round?: number | undefined
  readonly branch?: number | undefined
}

/** Sees nothing but that contexts change: inside of a step that is left out. */
export class Unseen implements StepObserver {
  protected readonly watching: Watching

  constructor(watching: Watching) {
    this.watching = watching
  }

  begin(_path: string, _frame: Frame): StepObserver {
    this.count()
    return this
  }

  protected count(): void {
    const { seen, lookUp } = this.watching
    if (seen.isFrozen) return
    seen.count += 1
    if (seen.count % STRIDE === 0) lookUp()
  }

  inRound(_round: number): StepObserver {
    return this
  }

  inBranch(_branch: number): StepObserver {
    return this
  }

  end(_thrown: unknown): void {
    if (!this.watching.seen.isFrozen) this.watching.seen.ended += 1
  }

  input(_value: unknown): void {}

  asks(request: FetchRequest): void {
    this.watching.seen.hidden.add(shownRequest(request).hidden)
  }

  runs(_name: string, parameters: unknown): void {
    this.withoutSecrets(parameters)
  }

  /** What is named like a secret is one wherever it goes. */
  protected withoutSecrets(parameters: unknown): unknown {
    const hidden = new Set<string>()
    const shown = withoutSecretFields(parameters, hidden)
    this.watching.seen.hidden.add(hidden)
    return shown
  }

  called(automation: CompiledAutomation, payload: Readonly<Record<string, unknown>>): void {
    this.watching.seen.hidden.addArguments(automation, payload)
  }

  output(_value: unknown): void {}
  effect(_number: number, _asks?: boolean): void {}
  attempts(_attempts: readonly FetchAttempt[]): void {}
  logged(_logs: readonly FunctionLog[]): void {}
  emitted(_event: { readonly id: string; readonly type: string }): void {}
  started(_run: Pick<QueuedRun, 'id'>): void {}

  change(frame: Frame, path: ResolvedPath, change: () => void): void {
    this.watching.seen.change(undefined, frame, path, change)
  }
}

/** Begins steps that are inside of another, or of the run. */
abstract class Placed extends Unseen {
  protected readonly position: Position

  constructor(watching: Watching, position: Position) {
    super(watching)
    this.position = position
  }

  protected positionOf(path: string, { depth }: Frame): Position {
    const { position } = this
    const around = position.round === undefined ? position.place : `${position.place}#${position.round}`
    const isCalled = depth > position.depth && position.place !== ''
    const place = isCalled ? `${around}/${path}` : around + path.slice(position.path.length)
    return { place, path, depth }
  }
}

/** Sees a step that is kept, and keeps those inside of it. */
class Seen extends Placed {
  readonly #list: SeenList
  readonly #step: SeenStep | undefined
  readonly #unseen: Unseen

  constructor(watching: Watching, position: Position, list: SeenList, step?: SeenStep) {
    super(watching, position)
    this.#list = list
    this.#step = step
    this.#unseen = new Unseen(watching)
  }

  override begin(path: string, frame: Frame): StepObserver {
    this.count()
    const { watching, position } = this
    if (watching.seen.isFrozen) return this.#unseen
    const inner = this.positionOf(path, frame)
    const { round, branch } = position
    const step = watching.seen.begin(this.#list, { place: inner.place, path, round, branch }, frame)
    return step === undefined ? this.#unseen : new Seen(watching, inner, step, step)
  }

  override inRound(round: number): StepObserver {
    return new Seen(this.watching, { ...this.position, round }, this.#list, this.#step)
  }

  override inBranch(branch: number): StepObserver {
    return new Seen(this.watching, { ...this.position, branch }, this.#list, this.#step)
  }

  override end(thrown: unknown): void {
    if (this.watching.seen.isFrozen || this.#step === undefined) return
    super.end(thrown)
    this.watching.seen.end(this.#step, thrown instanceof AutomationFailure ? thrown : undefined)
  }

  override input(value: unknown): void {
    this.#tell((step) => {
      step.input = this.watching.seen.keep(value)
    })
  }

  override asks(request: FetchRequest): void {
    const shown = shownRequest(request)
    this.watching.seen.hidden.add(shown.hidden)
    this.#tell((step) => {
      step.input = this.watching.seen.keep(shown.request)
    })
  }

  override runs(name: string, parameters: unknown): void {
    const shown = this.withoutSecrets(parameters)
    this.#tell((step) => {
      step.input = this.watching.seen.keep({ function: name, parameters: shown })
    })
  }

  override called(automation: CompiledAutomation, payload: Readonly<Record<string, unknown>>): void {
    const shown = this.watching.seen.argumentsOf(automation, payload)
    this.#tell((step) => {
      step.input = shown
    })
  }

  override output(value: unknown): void {
    this.#tell((step) => {
      step.output = this.watching.seen.keep(value)
      step.asks = false
    })
  }

  override effect(number: number, asks = false): void {
    this.#tell((step) => {
      step.asks ||= asks
      step.number ??= number
    })
  }

  override attempts(attempts: readonly FetchAttempt[]): void {
    this.#tell((step) => {
      step.attempts = [...(step.attempts ?? []), ...attempts]
    })
  }

  override logged(logs: readonly FunctionLog[]): void {
    this.#tell((step) => {
      step.logs = this.watching.seen.keep(logs)
    })
  }

  override emitted({ id, type }: { readonly id: string; readonly type: string }): void {
    this.#tell((step) => void step.emitted.push({ id, type }))
  }

  override started({ id }: Pick<QueuedRun, 'id'>): void {
    this.#tell((step) => void step.started.push(id))
  }

  override change(frame: Frame, path: ResolvedPath, change: () => void): void {
    const { seen } = this.watching
    const before = frame.run.lastNumber
    seen.change(seen.isFrozen ? undefined : this.#step, frame, path, change)
    if (frame.run.lastNumber > before) this.effect(frame.run.lastNumber)
  }

  #tell(what: (step: SeenStep) => void): void {
    if (this.#step !== undefined && !this.watching.seen.isFrozen) what(this.#step)
  }
}

/** Looks for the step at `place`; keeps it, and those that follow it beside it. */
class Search extends Placed {
  readonly #place: string
  readonly #found: { isFound: boolean }

  constructor(watching: Watching, position: Position, place: string, found = { isFound: false }) {
    super(watching, position)
    this.#place = place
    this.#found = found
  }

  override begin(path: string, frame: Frame): StepObserver {
    this.count()
    const { watching, position } = this
    const inner = this.positionOf(path, frame)
    this.#found.isFound ||= inner.place === this.#place
    if (!this.#found.isFound) return this.#wayTo(inner)
    const { round, branch } = position
    const { top } = watching.seen
    const step = watching.seen.begin(top, { place: inner.place, path, round, branch }, frame)
    if (step !== undefined) return new Seen(watching, inner, step, step)
    watching.finish()
    return new Unseen(watching)
  }

  #wayTo(inner: Position): StepObserver {
    const { watching } = this
    const next = this.#place[inner.place.length] ?? ''
    const isOnTheWay = next !== '' && '.#/['.includes(next) && this.#place.startsWith(inner.place)
    return isOnTheWay ? new Search(watching, inner, this.#place) : new Unseen(watching)
  }

  override inRound(round: number): StepObserver {
    return new Search(this.watching, { ...this.position, round }, this.#place, this.#found)
  }

  override inBranch(branch: number): StepObserver {
    return new Search(this.watching, { ...this.position, branch }, this.#place, this.#found)
  }

  override end(thrown: unknown): void {
    super.end(thrown)
    if (this.#found.isFound && !this.watching.seen.isFrozen) this.watching.finish()
  }
}

/** What a run is watched by: all of it, or the step at a place and those that follow it. */
export function watchSteps(watching: Watching, place?: string): StepObserver {
  const position: Position = { place: '', path: '', depth: 0 }
  return place === undefined
    ? new Seen(watching, position, watching.seen.top)
    : new Search(watching, position, place)
}
