import type { ResolvedPath } from '@platform/expressions'
import type { AutomationFailure } from '../automations/automation-failure.ts'
import type { CompiledAutomation, Frame } from '../automations/model.ts'
import { cut, withoutHidden } from '../automations/run-events.ts'
import { measure } from '../contexts/value-size.ts'
import type { FetchAttempt } from '../fetches/fetches.ts'
import { HiddenTexts } from './hidden-texts.ts'

/** Steps beside one another, in the order in which they began. */
export interface SeenList {
  readonly steps: SeenStep[]
  /** How many more there were, and the place of the first of them. */
  more: number
  morePlace: string | undefined
}

/** One step as it was seen. Values are those of the run: they are masked when they are shown. */
export interface SeenStep extends SeenList {
  readonly place: string
  readonly path: string
  readonly automationSlug: string
  readonly round: number | undefined
  readonly branch: number | undefined
  readonly startedMs: number
  number: number | null
  endedMs: number | undefined
  failure: AutomationFailure | undefined
  /** True while it waits for what it asked the outside for. */
  asks: boolean
  input: unknown
  output: unknown
  attempts: readonly FetchAttempt[] | undefined
  /** What a function in code has written. */
  logs: unknown
  changed: Change[]
  emitted: { id: string; type: string }[]
  started: string[]
}

/** A variable that was changed. */
export interface Change {
  readonly context: string
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

export interface SeenLimits {
  /** Steps at most. */
  readonly steps: number
  /** Of these beside one another. */
  readonly list: number
  /** Characters of one value, and of all. */
  readonly value: number
  readonly all: number
}

/** A step that has just begun. */
export const emptyStep = (
  at: Pick<SeenStep, 'place' | 'path' | 'round' | 'branch'>,
  { automation }: Pick<Frame, 'automation'>,
  startedMs: number,
): SeenStep => ({
  ...at,
  automationSlug: automation.slug,
  startedMs,
  number: null,
  endedMs: undefined,
  failure: undefined,
  asks: false,
  input: undefined,
  output: undefined,
  attempts: undefined,
  logs: undefined,
  changed: [],
  emitted: [],
  started: [],
  steps: [],
  more: 0,
  morePlace: undefined,
})

/** What is kept of a step that changes much. */
const MAX_CHANGES = 50

/** What was seen of a run, within limits. */
export class SeenSteps {
  readonly hidden = new HiddenTexts()
  readonly top: SeenList = { steps: [], more: 0, morePlace: undefined }
  /** Steps that began, also those that are not kept. */
  count = 0
  /** Steps that ended. */
  ended = 0
  /** Where the first step is that was left out because all together had become too many. */
  full: { reason: 'steps' | 'size'; number: number } | undefined
  /** Set when the run was stopped: what it does while it unwinds was never done. */
  isFrozen = false
  readonly #limits: SeenLimits
  readonly #nowMs: () => number
  readonly #before = new Map<string, { context: string; key: string; before: unknown }>()
  #kept = 0
  #characters = 0

  constructor(limits: SeenLimits, nowMs: () => number) {
    this.#limits = limits
    this.#nowMs = nowMs
  }

  /** A step of this list begins; undefined when it is left out. */
  begin(
    list: SeenList,
    at: Pick<SeenStep, 'place' | 'path' | 'round' | 'branch'>,
    frame: Frame,
  ): SeenStep | undefined {
    if (list.steps.length >= this.#limits.list || this.#isFull(frame.run.lastNumber)) {
      list.more += 1
      list.morePlace ??= at.place
      return undefined
    }
    this.#kept += 1
    const step = emptyStep(at, frame, this.#nowMs())
    list.steps.push(step)
    return step
  }

  end(step: SeenStep, failure: AutomationFailure | undefined): void {
    step.endedMs = this.#nowMs()
    step.failure = failure
    step.asks = false
  }

  #isFull(number: number): boolean {
    if (this.full !== undefined) return true
    if (this.#kept >= this.#limits.steps) this.full = { reason: 'steps', number }
    else if (this.#characters > this.#limits.all) this.full = { reason: 'size', number }
    return this.full !== undefined
  }

  /** What can be shown of a value; of one that is too large, how large it is. */
  keep(value: unknown): unknown {
    if (value === undefined || this.full?.reason === 'size') return undefined
    const { max, shown } = { max: this.#limits.value, shown: cut(value, this.#limits.value) }
    this.#characters += Math.min(measure(shown, max).characters, max)
    return shown
  }

  /** What an automation is called with, as others may see it. */
  argumentsOf(automation: CompiledAutomation, payload: Readonly<Record<string, unknown>>): unknown {
    this.hidden.addArguments(automation, payload)
    return this.keep(withoutHidden(automation, payload))
  }

  /** Makes a change, in a step or in one that is left out. */
  change(step: SeenStep | undefined, frame: Frame, path: ResolvedPath, change: () => void): void {
    const [root = '', second] = path.segments
    const context = String(root)
    const isContext = frame.variables.isContext(context)
    if (isContext && second !== undefined) this.#firstChange(frame, context, String(second))
    if (step === undefined || step.changed.length >= MAX_CHANGES) {
      change()
      return
    }
    const before = this.keep(frame.variables.peek(path.segments))
    change()
    const after = this.keep(frame.variables.peek(path.segments))
    const segments = isContext ? path.segments.slice(1) : path.segments
    step.changed.push({ context: isContext ? context : 'locals', path: segments.join('.'), before, after })
  }

  #firstChange({ run }: Frame, context: string, key: string): void {
    const name = `${context}.${key}`
    if (this.#before.has(name) || this.#before.size >= this.#limits.steps) return
    this.#before.set(name, { context, key, before: this.keep(run.contexts.peek(context, key)) })
  }

  /** What all steps together changed of contexts. */
  contextChanges(contexts: { peek(name: string, key: string): unknown }): Change[] {
    return [...this.#before.values()].map(({ context, key, before }) => ({
      context,
      path: key,
      before,
      after: this.keep(contexts.peek(context, key)),
    }))
  }
}
