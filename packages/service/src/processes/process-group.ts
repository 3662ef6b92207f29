import type { Env } from '@platform/config'
import type { Logger } from '@platform/logging'
import type { Death } from './contained.ts'
import { ContainedProcess } from './contained-process.ts'

/** Processes of one kind that a process keeps alive and that may die. */
export interface GroupOptions {
  /** What the log calls one of them, and its label in the metrics. */
  readonly kind: string
  readonly main: string
  /** The environment of each that takes requests. */
  readonly places: readonly Env[]
  /** That of the one that does what others died of; it takes no requests. */
  readonly asideEnv: Env
  readonly silenceMs: number
  readonly heapMegabytes: number
  readonly graceMs: number
  readonly log: Pick<Logger, 'error' | 'info'>
  /** Told of each death; answers what processes must know from now on. */
  readonly learn: (death: Death) => unknown
}

/** Takes requests, as many as there are places. */
const SERVING = 'serving'
/** Does what others died of, one after another, and ends when nothing is left. */
export const ASIDE = 'aside'

const LONGEST_PAUSE_MS = 5000
/** Longer than the slowest number takes; a process that has not told its numbers by then is missing. */
const PAGES_MS = 1500
/** How much longer than its own grace period a process may take. */
const STUCK_MS = 1000

/** Starts processes, ends those that hang, and starts others in their place, who are told what became of the dead. */
export class ProcessGroup {
  readonly #options: GroupOptions
  readonly #serving: (ContainedProcess | undefined)[] = []
  readonly #crashes: number[]
  readonly #untold: Death[] = []
  readonly #rounds = new Map<number, (page: string) => void>()
  readonly #ended = Promise.withResolvers<void>()
  #aside: ContainedProcess | undefined
  #isAsideWanted = false
  #isStopping = false
  #news: unknown
  #round = 0

  constructor(options: GroupOptions) {
    this.#options = options
    this.#crashes = options.places.map(() => 0)
  }

  /** Resolves when all of them serve; rejects when one of them can't, which has said why. */
  async start(): Promise<void> {
    await Promise.all(
      this.#options.places.map(
        (_, place) =>
          new Promise<void>((resolve, reject) => this.#startAt(place, resolve, () => reject(this.#failed()))),
      ),
    )
  }

  #failed(): Error {
    return new Error(`A process of the ${this.#options.kind} could not start; the lines above say why.`)
  }

  #startAt(place: number, onReady = () => {}, onFailed?: () => void): void {
    let isFirst = onFailed !== undefined
    const env = this.#options.places[place] ?? {}
    this.#serving[place] = this.#launch(SERVING, env, {
      onReady: () => {
        isFirst = false
        this.#tellDeaths()
        onReady()
      },
      onEnd: (death, wasReady) => {
        this.#serving[place] = undefined
        if (this.#isStopping) return this.#endIfLast()
        if (isFirst) return onFailed?.()
        if (death !== undefined) this.#note(death)
        this.#crashes[place] = wasReady ? 0 : (this.#crashes[place] ?? 0) + 1
        const pauseMs = Math.min(LONGEST_PAUSE_MS, 250 * (2 ** (this.#crashes[place] ?? 0) - 1))
        setTimeout(() => (this.#isStopping ? this.#endIfLast() : this.#startAt(place)), pauseMs)
      },
    })
  }

  #launch(
    role: string,
    env: Env,
    { onReady, onEnd }: { onReady: () => void; onEnd: (death: Death | undefined, wasReady: boolean) => void },
  ): ContainedProcess {
    const { main, silenceMs, heapMegabytes } = this.#options
    const started: ContainedProcess = new ContainedProcess(
      { role, main, env, news: this.#news, silenceMs, heapMegabytes },
      {
        onReady,
        onSuspects: () => this.#startAside(),
        onPage: (round, page) => this.#rounds.get(round)?.(page),
        onEnd: (death) => onEnd(death, started.isReady),
      },
    )
    return started
  }

  #startAside(): void {
    this.#isAsideWanted = this.#aside !== undefined
    if (this.#aside !== undefined || this.#isStopping) return
    this.#aside = this.#launch(ASIDE, this.#options.asideEnv, {
      onReady: () => undefined,
      onEnd: (death) => {
        this.#aside = undefined
        if (this.#isStopping) return this.#endIfLast()
        if (death !== undefined) this.#note(death)
        // What was set aside while it ended; or all that it left, which the others know only once they are told.
        if (this.#isAsideWanted) this.#startAside()
      },
    })
  }

  #note(death: Death): void {
    const { kind, log, learn } = this.#options
    const { role, seen, marker } = death
    log.error({ role, marker }, `a process of the ${kind} ${seen}, another takes its place`)
    this.#untold.push(death)
    this.#news = learn(death)
    for (const one of this.#living()) one.send({ contained: 'news', news: this.#news })
    this.#tellDeaths()
  }

  /** One of them is enough: it settles what the dead one held. */
  #tellDeaths(): void {
    const [one] = this.#serving.filter((each) => each?.isReady === true)
    if (one === undefined) return
    for (const death of this.#untold.splice(0)) one.send({ contained: 'death', death })
  }

  #living(): ContainedProcess[] {
    return [...this.#serving, this.#aside].filter((one) => one !== undefined)
  }

  /** The metrics of all of them; of those that answer in time. */
  async pages(): Promise<string[]> {
    const { kind } = this.#options
    const asked = this.#living().filter(({ isReady }) => isReady)
    const answers = asked.map((one) => {
      this.#round += 1
      const round = this.#round
      const number = this.#serving.indexOf(one) + 1
      const { promise, resolve } = Promise.withResolvers<string | undefined>()
      this.#rounds.set(round, resolve)
      const timer = setTimeout(() => resolve(undefined), PAGES_MS)
      one.send({ metrics: 'collect', round, worker: `${kind}-${number === 0 ? ASIDE : number}` })
      return promise.finally(() => {
        clearTimeout(timer)
        this.#rounds.delete(round)
      })
    })
    return (await Promise.all(answers)).filter((page) => page !== undefined)
  }

  /** Asks all of them to finish; resolves when none is left. */
  stop(): Promise<void> {
    this.#isStopping = true
    for (const one of this.#living()) one.stop(this.#options.graceMs + STUCK_MS)
    this.#endIfLast()
    return this.#ended.promise
  }

  #endIfLast(): void {
    if (this.#living().length === 0) this.#ended.resolve()
  }
}
