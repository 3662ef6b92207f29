import type { Worker } from 'node:cluster'

/** What a process of several tells the first one. */
export type ToFirst = { metrics: 'wanted' } | { metrics: 'page'; round: number; page: string }
/** What it is told: that its page is wanted, under which name, or the pages of all. */
export type ToWorker =
  | { metrics: 'tell'; round: number; worker: string }
  | { metrics: 'all'; pages: string[] }

/** Longer than the slowest number takes; whoever has not told its page by then is missing. */
const ROUND_MS = 1500

/**
 * Lets a worker that is asked for /metrics answer for all: the first process collects their pages. One round serves
 * all who ask.
 */
export class WorkerPages {
  /** The workers and the places they have, from 1. */
  readonly #places: ReadonlyMap<Worker, number>
  readonly #askers = new Set<Worker>()
  readonly #pages = new Map<Worker, string>()
  #round = 0
  #asked = 0
  #timer: NodeJS.Timeout | undefined

  constructor(places: ReadonlyMap<Worker, number>) {
    this.#places = places
  }

  onMessage(worker: Worker, message: ToFirst): void {
    if (message.metrics === 'wanted') this.#want(worker)
    if (message.metrics === 'page' && message.round === this.#round) this.#keep(worker, message.page)
  }

  #want(asker: Worker): void {
    this.#askers.add(asker)
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => this.#finish(), ROUND_MS)
    this.#round += 1
    this.#asked = 0
    for (const [worker, place] of this.#places)
      if (send(worker, { metrics: 'tell', round: this.#round, worker: String(place) })) this.#asked += 1
  }

  #keep(worker: Worker, page: string): void {
    if (this.#timer === undefined) return
    this.#pages.set(worker, page)
    if (this.#pages.size >= this.#asked) this.#finish()
  }

  #finish(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const place = (worker: Worker) => this.#places.get(worker) ?? Number.POSITIVE_INFINITY
    const pages = [...this.#pages].toSorted(([a], [b]) => place(a) - place(b)).map(([, page]) => page)
    for (const asker of this.#askers) send(asker, { metrics: 'all', pages })
    this.#askers.clear()
    this.#pages.clear()
  }
}

/** False to one that is leaving: it takes no messages any more. */
function send(worker: Worker, message: ToWorker): boolean {
  if (!worker.isConnected()) return false
  worker.send(message, () => undefined)
  return true
}
