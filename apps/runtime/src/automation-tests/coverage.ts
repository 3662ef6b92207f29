import type { AutomationCoverage } from '@platform/contracts'
import type { CompiledAutomation, Frame, StepObserver } from '../automations/model.ts'

/** How often instructions were come to: automation → path → times. */
export class StepCounts {
  readonly #hits = new Map<string, Map<string, number>>()

  add(automationSlug: string, path: string): void {
    const paths = this.#hits.get(automationSlug) ?? new Map<string, number>()
    this.#hits.set(automationSlug, paths)
    paths.set(path, (paths.get(path) ?? 0) + 1)
  }

  /** Automations that were run. */
  get automations(): string[] {
    return [...this.#hits.keys()]
  }

  coverageOf(
    { slug, stepPaths }: Pick<CompiledAutomation, 'slug' | 'stepPaths'>,
    places: Readonly<Record<string, readonly [line: number, column: number]>> = {},
  ): AutomationCoverage {
    const hits = this.#hits.get(slug)
    const instructions = stepPaths.map((path) => {
      const place = Object.hasOwn(places, path) ? places[path] : undefined
      const at = place === undefined ? {} : { line: place[0], column: place[1] }
      return { path, hits: hits?.get(path) ?? 0, ...at }
    })
    const covered = instructions.filter((one) => one.hits > 0).length
    return { automationSlug: slug, covered, total: instructions.length, instructions }
  }
}

/** What a test is told of each step. */
export interface StepListener {
  /** May throw, which ends the run. */
  begins(automationSlug: string, path: string): void
  calls(automation: CompiledAutomation, payload: Readonly<Record<string, unknown>>): void
}

/** Sees every step of a test, and tells another observer of it. */
export function listenToSteps(listener: StepListener, inner: StepObserver): StepObserver {
  const within = (observer: StepObserver) => listenToSteps(listener, observer)
  return {
    begin(path: string, frame: Frame) {
      listener.begins(frame.automation.slug, path)
      return within(inner.begin(path, frame))
    },
    inRound: (round) => within(inner.inRound(round)),
    inBranch: (branch) => within(inner.inBranch(branch)),
    called(automation, payload) {
      listener.calls(automation, payload)
      inner.called(automation, payload)
    },
    end: (thrown) => inner.end(thrown),
    input: (value) => inner.input(value),
    asks: (request) => inner.asks(request),
    runs: (name, parameters) => inner.runs(name, parameters),
    output: (value) => inner.output(value),
    effect: (number, asks) => inner.effect(number, asks),
    logged: (logs) => inner.logged(logs),
    attempts: (attempts) => inner.attempts(attempts),
    emitted: (event) => inner.emitted(event),
    started: (run) => inner.started(run),
    change: (frame, path, change) => inner.change(frame, path, change),
  }
}
