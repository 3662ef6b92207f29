import type { StepObserver } from '../automations/model.ts'

/** One effect of a run, as somebody sees it who asks what would be done. */
export interface PlannedEffect {
  readonly number: number
  readonly path: string
  readonly automationSlug: string
  /** The instruction it is of. */
  readonly kind: string
  readonly summary: string
}

/** More are not listed. */
const MAX_PLANNED = 1000

/** Notes the effects of a run that is read, in their order. */
export class PlannedEffects {
  readonly list: PlannedEffect[] = []
  more = 0

  add(effect: PlannedEffect): void {
    if (this.list.length < MAX_PLANNED) this.list.push(effect)
    else this.more += 1
  }
}

const nothing = () => undefined

/** Sees the steps of a run for `planned`; `lookUp` is called at each of them. */
export function planSteps(
  planned: PlannedEffects,
  lookUp: () => void,
  step = { path: '', automationSlug: '' },
): StepObserver {
  let summary = ''
  const kind = step.path.slice(step.path.lastIndexOf('].') + 2)
  const itself: StepObserver = {
    begin(path, { automation }) {
      lookUp()
      return planSteps(planned, lookUp, { path, automationSlug: automation.slug })
    },
    inRound: () => itself,
    inBranch: () => itself,
    end: nothing,
    input(value) {
      const event: unknown = Object(value).event
      if (kind === 'emit' && typeof event === 'string') summary = event
    },
    asks({ method, url }) {
      summary = `${method.toUpperCase()} ${url.origin}${url.pathname}`
    },
    called({ slug }) {
      summary = slug
    },
    runs(name) {
      summary = name
    },
    output: nothing,
    effect: (number) => planned.add({ number, ...step, kind, summary }),
    attempts: nothing,
    logged: nothing,
    emitted: nothing,
    started: nothing,
    change({ run }, path, change) {
      const before = run.lastNumber
      change()
      const written = path.segments.join('.')
      if (run.lastNumber > before) planned.add({ number: run.lastNumber, ...step, kind, summary: written })
    },
  }
  return itself
}
