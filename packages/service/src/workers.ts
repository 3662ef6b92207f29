import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Logger } from '@platform/logging'

/** What a worker is told when it shall stop; a signal of the terminal may have reached it before. */
export const STOP_WORKER = 'stop'

const RESTART_PAUSE_MS = 1000
/** Crashes of one minute after which starting again is given up: an orchestrator does it better. */
const CRASHES_MAX = 10
const MINUTE_MS = 60_000

/** Processes that share a port. The first one starts alone, so that what is wrong with the configuration is told once. */
export class Workers {
  readonly #log: Logger
  readonly #running = new Set<Worker>()
  readonly #crashes: number[] = []
  readonly #ended = Promise.withResolvers<number>()
  #stopping = false
  #exitCode = 0

  constructor(log: Logger) {
    this.#log = log
  }

  /** Resolves with the exit code when the last process has ended. */
  async run(count: number): Promise<number> {
    const first = this.#start()
    await Promise.race([once(first, 'message'), once(first, 'exit')])
    // A first one that could not start has told why, and ended everything.
    for (let more = count - 1; more > 0 && !this.#stopping; more -= 1) this.#start()
    return this.#ended.promise
  }

  /** Tells all of them to finish; told twice, they are ended. */
  stop(): void {
    const isSecond = this.#stopping
    this.#stopping = true
    for (const worker of this.#running) {
      if (isSecond) worker.process.kill('SIGKILL')
      else if (worker.isConnected()) worker.send(STOP_WORKER)
    }
    if (isSecond) this.#exitCode = 1
  }

  #start(): Worker {
    const worker = cluster.fork()
    let wasReady = false
    worker.once('message', () => {
      wasReady = true
    })
    worker.once('exit', (code, signal) => this.#onExit(worker, { wasReady, code, signal }))
    this.#running.add(worker)
    return worker
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
    if (!this.#stopping) this.#start()
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
