import { RunCancelled } from './automation-failure.ts'

/**
 * Lets one strand of a run go on at a time: a strand is the run itself, a branch of an `all`, a round of a batch. It
 * keeps the turn until it asks the outside or ends; while it waits for anything else, the whole run does. So what
 * branches do to the same variable, and the order of what they emit, depends on nothing but the answers that come in,
 * and in which order (ADR 0060).
 */
export class Turns {
  readonly #ready: (() => void)[] = []
  readonly #asked = new Map<number, (arrival: Arrival) => void>()
  readonly #arrived: Arrival[] = []
  readonly #source: ArrivalSource | undefined
  #isFree = false
  readonly #onFree: () => void

  /** `onFree` is called when no strand can go on without an answer. */
  constructor(source?: ArrivalSource, onFree: () => void = () => undefined) {
    this.#source = source
    this.#onFree = onFree
  }

  /** Gives up the turn until the answer has arrived and no strand can go on without one. */
  outside<T>(number: number, ask: () => Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#asked.set(number, ({ value, failure }) =>
        failure === undefined ? resolve(value as T) : reject(failure.reason),
      )
      if (this.#source?.isKnown(number) !== true) this.#wait(number, ask)
      this.next()
    })
  }

  #wait(number: number, ask: () => Promise<unknown>): void {
    ask().then(
      (value) => this.#arrive({ number, value }),
      (reason: unknown) => this.#arrive({ number, failure: { reason } }),
    )
  }

  #arrive(arrival: Arrival): void {
    this.#arrived.push(arrival)
    if (this.#isFree) this.next()
  }

  /** Puts a strand behind those that can go on already. */
  makeReady(goOn: () => void): void {
    this.#ready.push(goOn)
  }

  /** Gives the turn to the first strand that can go on; where none can, to the one whose answer is first. */
  next(): void {
    const goOn = this.#ready.shift()
    const arrival = goOn === undefined ? this.#takeArrival() : undefined
    this.#isFree = goOn === undefined && arrival === undefined
    if (goOn !== undefined) goOn()
    else if (arrival !== undefined) this.#handOver(arrival)
    else {
      if (this.#asked.size > 0) this.#source?.idle()
      this.#onFree()
    }
  }

  /** True when nothing can go on until one of these answers arrives. */
  waitsOnlyFor(isWaited: (number: number) => boolean): boolean {
    return this.#isFree && this.#arrived.length === 0 && [...this.#asked.keys()].every(isWaited)
  }

  #takeArrival(): Arrival | undefined {
    const known = this.#source?.take()
    if (known === undefined) {
      const arrival = this.#arrived.shift()
      if (arrival !== undefined && isKept(arrival)) this.#source?.keep(arrival)
      return arrival
    }
    if (this.#asked.has(known.number)) return known
    // The run asks for something else than it did: whoever asks is told so.
    const [number] = this.#asked.keys()
    const reason = this.#source?.strayed()
    return number === undefined ? undefined : { number, failure: { reason } }
  }

  #handOver(arrival: Arrival): void {
    const hear = this.#asked.get(arrival.number)
    this.#asked.delete(arrival.number)
    // Nobody waits for it any more.
    if (hear === undefined) this.next()
    else hear(arrival)
  }
}

const isKept = ({ failure }: Arrival): boolean =>
  failure === undefined || failure.reason instanceof RunCancelled

/** What came in for the effect of this number. */
export interface Arrival {
  readonly number: number
  readonly value?: unknown
  readonly atMs?: number | undefined
  /** Kept only where the run was cancelled: else it is over then, or is done again. */
  readonly failure?: { readonly reason: unknown } | undefined
}

/** What came in before the run was taken over, in its order; what comes in from now on is kept there as well. */
export interface ArrivalSource {
  /** True for an answer that is there already: it is not asked for again. */
  isKnown(number: number): boolean
  take(): Arrival | undefined
  keep(arrival: Arrival): void
  /** No strand can go on until something arrives. */
  idle(): void
  /** Ends the run, because it is not the one whose answers these are; answers what it fails with. */
  strayed(): unknown
}

/** Strands that end before the one that begins them goes on behind them. */
export class Branches<T> {
  readonly #turns: Turns
  readonly #results: PromiseSettledResult<T>[] = []
  #begun = 0
  #ended = 0
  #goOn: (() => void) | undefined

  constructor(turns: Turns) {
    this.#turns = turns
  }

  get count(): number {
    return this.#begun
  }

  /** Begins a branch; resolves once it has given up its turn. */
  begin(work: () => Promise<T>): Promise<void> {
    const index = this.#begun
    this.#begun += 1
    return new Promise((resolve) => {
      this.#turns.makeReady(() => void this.#follow(index, work))
      this.#turns.makeReady(resolve)
      this.#turns.next()
    })
  }

  async #follow(index: number, work: () => Promise<T>): Promise<void> {
    try {
      this.#results[index] = { status: 'fulfilled', value: await work() }
    } catch (reason) {
      this.#results[index] = { status: 'rejected', reason }
    }
    this.#ended += 1
    // The last one makes room for whom it was begun by, before anybody else can.
    if (this.#ended === this.#begun && this.#goOn !== undefined) this.#turns.makeReady(this.#goOn)
    this.#turns.next()
  }

  /** Waits for all, also when one fails. */
  async end(): Promise<PromiseSettledResult<T>[]> {
    if (this.#ended < this.#begun)
      await new Promise<void>((resolve) => {
        this.#goOn = resolve
        this.#turns.next()
      })
    return this.#results
  }

  /** Waits for all; then fails with the first failure in the order begun. */
  async results(): Promise<T[]> {
    const results = await this.end()
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
  }
}
