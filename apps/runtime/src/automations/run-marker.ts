import type { Frame, StepObserver } from './model.ts'

/** Whose turn it is in a process, as others read it once the process is dead. */
export interface RunMark {
  readonly runId: string
  readonly workspaceId: string
  /** The automation the run began with, and which text of it. */
  readonly automationSlug: string
  readonly checksum: string | undefined
  /** Where the run is; known only of runs that are done apart from others. */
  readonly place?: { readonly automationSlug: string; readonly instruction: string }
}

/** Undefined for a text that is none, or was cut. */
export function readMark(text: string): RunMark | undefined {
  try {
    return text === '' ? undefined : (JSON.parse(text) as RunMark)
  } catch {
    return undefined
  }
}

const nothing = () => undefined
const blind = {
  end: nothing,
  input: nothing,
  asks: nothing,
  called: nothing,
  runs: nothing,
  output: nothing,
  effect: nothing,
  attempts: nothing,
  logged: nothing,
  emitted: nothing,
  started: nothing,
  change: (_frame: Frame, _path: unknown, change: () => void) => change(),
}

/** How long the mark of a run that is over may stand. */
const CLEAR_MS = 20

/**
 * Says which run has the event loop, whenever another one gets it: about 2 µs each time. Calls `goOn` as well then: who
 * gives the loop to another run does not hang, also where so much has come in together that timers are late.
 */
export class RunMarker {
  readonly #write: (text: string) => void
  readonly #goOn: () => void
  #current: RunMark | undefined
  #clearing: NodeJS.Timeout | undefined

  constructor(write: (text: string) => void, goOn: () => void) {
    this.#write = write
    this.#goOn = goOn
  }

  /** The run goes on. */
  enter(mark: RunMark): void {
    if (this.#current === mark) return
    this.#current = mark
    this.#write(JSON.stringify(mark))
    this.#goOn()
  }

  /** The run is over: what comes now is not its fault. Where runs follow each other at once, the next one says it. */
  leave(mark: RunMark): void {
    if (this.#current !== mark) return
    this.#current = undefined
    this.#clearing ??= setTimeout(() => {
      this.#clearing = undefined
      if (this.#current === undefined) this.#write('')
    }, CLEAR_MS)
  }

  /** Sees each step of a run that is done apart, before it begins. */
  placesOf(mark: RunMark): StepObserver {
    const noted: StepObserver = {
      ...blind,
      begin: (instruction: string, { automation }: Frame) => {
        this.#current = mark
        this.#write(JSON.stringify({ ...mark, place: { automationSlug: automation.slug, instruction } }))
        return noted
      },
      inRound: () => noted,
      inBranch: () => noted,
    }
    return noted
  }
}
