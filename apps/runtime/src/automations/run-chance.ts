import { createHash } from 'node:crypto'

/** Ordinal of a reading of the clock, and the Unix milliseconds it gave. */
export type ClockEntry = readonly ['clock', number, number]

export interface ChanceParts {
  readonly seed: string
  /** Readings whose answers are given by `entries`. */
  readonly reads: number
  readonly entries: readonly ClockEntry[]
  readonly add: (entry: ClockEntry) => void
  /** Told of what comes in without an entry; may throw where nothing may come in. */
  readonly touch: (what: 'draw' | 'clock') => void
}

/** Readings closer together than this give the same time: so the journal needs few of them. */
const RESOLUTION_MS = 10

/** Of one draw. */
const DRAWN_BYTES = 32

/** Time and chance of one run: the same again when the run is done again. */
export class RunChance {
  readonly #parts: ChanceParts
  readonly #entries: ClockEntry[]
  /** Tells the time instead of the clock. */
  readonly #told: (() => Date) | undefined
  #reads = 0
  #lastMs = Number.NEGATIVE_INFINITY
  #draws = 0

  constructor(parts: ChanceParts, told?: () => Date) {
    this.#parts = parts
    this.#told = told
    this.#entries = [...parts.entries]
  }

  /** The same chance for a run that does the same so far: all it reads comes in there as new. */
  copied(add: ChanceParts['add']): RunChance {
    const told = () => this.now(unknown)
    return new RunChance({ seed: this.#parts.seed, reads: 0, entries: [], add, touch: () => undefined }, told)
  }

  get reads(): number {
    return Math.max(this.#reads, this.#parts.reads)
  }

  /** The time that was given last, in Unix milliseconds. */
  get lastMs(): number {
    return this.#lastMs
  }

  /** The time, which `clock` tells where this reading was not made before. */
  now(clock: () => Date): Date {
    this.#reads += 1
    for (let [next] = this.#entries; next !== undefined && next[1] <= this.#reads; [next] = this.#entries) {
      this.#lastMs = next[2]
      this.#entries.shift()
    }
    if (this.#reads > this.#parts.reads) this.#read(this.#told ?? clock)
    return new Date(this.#lastMs)
  }

  #read(clock: () => Date): void {
    this.#parts.touch('clock')
    const nowMs = clock().getTime()
    if (nowMs < this.#lastMs + RESOLUTION_MS) return
    this.#lastMs = nowMs
    this.#parts.add(['clock', this.#reads, nowMs])
  }

  /** A number in [0, 1). */
  random(): number {
    return this.#draw().readUIntBE(0, 6) / 2 ** 48
  }

  /** A new unique id, version 4. */
  uuid(): string {
    const bytes = this.#draw()
    bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
    bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
    const hex = bytes.toString('hex', 0, 16)
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
  }

  /** Bytes that nobody can guess who does not know the seed. */
  bytes(size: number): Buffer {
    const draws = Array.from({ length: Math.ceil(size / DRAWN_BYTES) }, () => this.#draw())
    return Buffer.concat(draws).subarray(0, size)
  }

  #draw(): Buffer {
    this.#draws += 1
    this.#parts.touch('draw')
    return createHash('sha256').update(`${this.#parts.seed} ${this.#draws}`).digest()
  }
}

/** A reading that is not known ends whoever reads: it is never asked for. */
const unknown = (): Date => new Date(0)
