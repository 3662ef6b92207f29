import cluster, { type Worker } from 'node:cluster'
import { registry } from '@platform/http'

/** A message of a worker to the first process. */
export type ToFirst = { metrics: 'wanted' } | { metrics: 'page'; round: number; page: string }
/** A message of the first process: a worker's page is wanted, under which name, or these are the pages of all. */
type ToWorker = { metrics: 'collect'; round: number; worker: string } | { metrics: 'all'; pages: string[] }

/** Longest a worker waits for the first process; then it shows its own numbers alone. */
const ALL_MS = 2500

let round: Promise<string> | undefined

/** Where the numbers of processes come from that this one has started. */
const started = new Set<() => Promise<string[]>>()

/** Shows the numbers of further processes on the page of this one, until disposed. */
export function addMetricsPages(pages: () => Promise<string[]>): Disposable {
  started.add(pages)
  return { [Symbol.dispose]: () => void started.delete(pages) }
}

/** The page of this process or, where several share its port, of all of them: the label `worker` names the process. */
export function metricsPage(): Promise<string> {
  if (!cluster.isWorker) return pageWithStarted()
  round ??= pageOfAll().finally(() => {
    round = undefined
  })
  return round
}

async function pageWithStarted(): Promise<string> {
  if (started.size === 0) return await registry.metrics()
  const others = await Promise.all([...started].map((pages) => pages()))
  return mergePages([await registry.metrics(), ...others.flat()])
}

/** For one of several processes: sends its page when the first one collects them. */
export function reportMetrics(): void {
  process.on('message', (message: ToWorker) => {
    if (message.metrics !== 'collect') return
    registry.setDefaultLabels({ worker: message.worker })
    registry.metrics().then(
      (page) => sendToFirst({ metrics: 'page', round: message.round, page }),
      () => undefined,
    )
  })
}

async function pageOfAll(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string[]>()
  const take = (message: ToWorker) => {
    if (message.metrics === 'all') resolve(message.pages)
  }
  process.on('message', take)
  const timer = setTimeout(resolve, ALL_MS, [])
  try {
    sendToFirst({ metrics: 'wanted' })
    const pages = await promise
    return pages.length === 0 ? await registry.metrics() : mergePages(pages)
  } finally {
    clearTimeout(timer)
    process.off('message', take)
  }
}

function sendToFirst(message: ToFirst): void {
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

/** Longer than the slowest number takes; a worker that has not sent its page by then is missing. */
const ROUND_MS = 1500

/**
 * Lets a worker that is asked for /metrics answer for all: the first process collects their pages. One round serves
 * all who ask.
 */
export class WorkerPages {
  /** The workers and their numbers, from 1. */
  readonly #numbers: ReadonlyMap<Worker, number>
  readonly #askers = new Set<Worker>()
  readonly #pages = new Map<Worker, string>()
  #round = 0
  #asked = 0
  #timer: NodeJS.Timeout | undefined

  constructor(numbers: ReadonlyMap<Worker, number>) {
    this.#numbers = numbers
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
    for (const [worker, number] of this.#numbers)
      if (sendTo(worker, { metrics: 'collect', round: this.#round, worker: String(number) })) this.#asked += 1
  }

  #keep(worker: Worker, page: string): void {
    if (this.#timer === undefined) return
    this.#pages.set(worker, page)
    if (this.#pages.size >= this.#asked) this.#finish()
  }

  #finish(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const numberOf = (worker: Worker) => this.#numbers.get(worker) ?? Number.POSITIVE_INFINITY
    const pages = [...this.#pages].toSorted(([a], [b]) => numberOf(a) - numberOf(b)).map(([, page]) => page)
    for (const asker of this.#askers) sendTo(asker, { metrics: 'all', pages })
    this.#askers.clear()
    this.#pages.clear()
  }
}

/** False to one that is leaving: it takes no messages any more. */
function sendTo(worker: Worker, message: ToWorker): boolean {
  if (!worker.isConnected()) return false
  worker.send(message, () => undefined)
  return true
}

/**
 * The pages of several processes as one: a metric stands there once, with the lines of all of them. Lines of
 * different processes must differ by a label.
 */
export function mergePages(pages: readonly string[]): string {
  const metrics = new Map<string, string[]>()
  for (const block of pages.flatMap((page) => page.trim().split('\n\n'))) {
    const [help = '', type = '', ...lines] = block.split('\n')
    const head = `${help}\n${type}`
    const known = metrics.get(head)
    if (known === undefined) metrics.set(head, lines)
    else known.push(...lines)
  }
  return `${[...metrics].map(([head, lines]) => [head, ...lines].join('\n')).join('\n\n')}\n`
}
