import cluster, { type Worker } from 'node:cluster'
import type { Logger } from '@platform/logging'
import { type ToFirst, WorkerPages } from './metrics-page.ts'
import { STOP_WORKER } from './processes/contained.ts'

/** Sent by a worker when it serves. */
export const WORKER_READY = 'ready'

const RESTART_PAUSE_MS = 1000
/** How much longer than its own grace period a worker may take: one that can still do it ends itself. */
const STUCK_MS = 1000
/** Crashes of one minute after which starting again is given up: an orchestrator does it better. */
const CRASHES_MAX = 10
const MINUTE_MS = 60_000

/**
 * Processes that share a port. The first one starts alone, so that a wrong configuration is reported once.
 */
export class Workers {
  readonly #log: Logger
  readonly #graceMs: number
  /** With the number of each, from 1: one that replaces another also takes its number, its name in the metrics. */
  readonly #running = new Map<Worker, number>()
  readonly #pages = new WorkerPages(this.#running)
  readonly #crashes: number[] = []
  readonly #ended = Promise.withResolvers<number>()
  #stopping = false
  #exitCode = 0

  constructor(log: Logger, graceMs: number) {
    this.#log = log
    this.#graceMs = graceMs
  }

  /** Resolves with the exit code when the last process has ended. */
  async run(count: number): Promise<number> {
    await this.#start()
    // A first one that could not start has reported why, and ended everything.
    for (let more = count - 1; more > 0 && !this.#stopping; more -= 1) void this.#start()
    return this.#ended.promise
  }

  /** Asks all of them to finish; the second time, or when one is stuck beyond the grace period, they are ended. */
  stop(): void {
    const isSecond = this.#stopping
    this.#stopping = true
    for (const worker of this.#running.keys()) {
      if (isSecond) worker.process.kill('SIGKILL')
      else if (worker.isConnected()) worker.send(STOP_WORKER)
    }
    if (isSecond) this.#exitCode = 1
    else setTimeout(() => this.stop(), this.#graceMs + STUCK_MS).unref()
  }

  /** Resolves when the worker serves, or has ended. */
  #start(): Promise<void> {
    const worker = cluster.fork()
    const { promise, resolve } = Promise.withResolvers<void>()
    let wasReady = false
    worker.on('message', (message: ToFirst | typeof WORKER_READY) => {
      if (message !== WORKER_READY) return this.#pages.onMessage(worker, message)
      wasReady = true
      resolve()
    })
    worker.once('exit', (code, signal) => {
      this.#onExit(worker, { wasReady, code, signal })
      resolve()
    })
    this.#running.set(worker, this.#freeNumber())
    return promise
  }

  #freeNumber(): number {
    const taken = new Set(this.#running.values())
    for (let number = 1; ; number += 1) if (!taken.has(number)) return number
  }

  #onExit(worker: Worker, end: { wasReady: boolean; code: number | null; signal: string | null }): void {
    this.#running.delete(worker)
    const isCrash = !this.#stopping
    if (end.code !== 0) this.#exitCode = 1
    if (isCrash && this.#maySucceed(end.wasReady)) {
      const { code, signal } = end
      this.#log.error(
        { pid: worker.process.pid, code, signal },
        'a worker ended unexpectedly, another takes its place',
      )
      this.#exitCode = 0
      setTimeout(() => this.#replace(), RESTART_PAUSE_MS)
      return
    }
    if (isCrash) this.stop()
    if (this.#running.size === 0) this.#ended.resolve(this.#exitCode)
  }

  #replace(): void {
    if (!this.#stopping) void this.#start()
    else if (this.#running.size === 0) this.#ended.resolve(this.#exitCode)
  }

  /** One that never became ready would not the next time either. */
  #maySucceed(wasReady: boolean): boolean {
    const now = performance.now()
    this.#crashes.push(now)
    while (now - (this.#crashes[0] ?? now) > MINUTE_MS) this.#crashes.shift()
    return wasReady && this.#crashes.length <= CRASHES_MAX
  }
}
