import { Failure, WakeUp } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Job } from '@platform/service'
import type { ClaimedRun, HeldRun } from './run.ts'
import type { RunStore } from './run-store.ts'

export interface WorkQueueOptions {
  readonly runs: Pick<RunStore, 'claimQueued' | 'claimExpired' | 'extendLeases' | 'release'>
  readonly work: (run: ClaimedRun, held: HeldRun, signal: AbortSignal) => Promise<void>
  readonly worker: string
  readonly concurrency: number
  readonly leaseSeconds: number
  readonly log: Logger
}

const POLL_MS = 500
/** Leases are extended this often, and so often that two extensions may fail before a short lease is over. */
const LONGEST_HEARTBEAT_MS = 3000
const HEARTBEATS_PER_LEASE = 3
const LARGEST_CLAIM = 32
/** Runs at most that are worked on or held back by a limit of their workspace, as a multiple of those worked on. */
const HELD_BACK_FACTOR = 8
/** Time that runs get to end when the service stops; what is left is given back and done again elsewhere. */
const DRAIN_MS = 5000

/** Claims queued runs, works on them, and keeps hold of them while it does. Any number of instances share the queue. */
export class WorkQueue {
  readonly #options: WorkQueueOptions
  readonly #held = new Map<string, HeldRun>()
  readonly #wakeUp = new WakeUp()
  readonly #working = new Set<Promise<void>>()
  #lookForExpiredAt = 0

  constructor(options: WorkQueueOptions) {
    this.#options = options
  }

  /** Runs were queued: look at once. */
  kick(): void {
    this.#wakeUp.ring()
  }

  get jobs(): Job[] {
    const heartbeatMs = (this.#options.leaseSeconds * 1000) / HEARTBEATS_PER_LEASE
    return [
      { name: 'work-on-queued-runs', everyMs: POLL_MS, run: (signal) => this.#workUntil(signal) },
      {
        name: 'hold-claimed-runs',
        everyMs: Math.min(LONGEST_HEARTBEAT_MS, heartbeatMs),
        run: () => this.#hold(),
      },
    ]
  }

  async #workUntil(signal: AbortSignal): Promise<void> {
    const stop = () => this.#wakeUp.ring()
    signal.addEventListener('abort', stop)
    try {
      while (!signal.aborted) {
        const isMore = await this.#claimSome(signal)
        if (!isMore && !signal.aborted) await this.#wakeUp.wait(POLL_MS)
      }
    } finally {
      signal.removeEventListener('abort', stop)
      if (signal.aborted) await this.#drain()
    }
  }

  /** Answers whether there may be more to claim right now. */
  async #claimSome(signal: AbortSignal): Promise<boolean> {
    const room = this.#room()
    if (room <= 0) return false
    const claimed = await this.#claim(room)
    for (const run of claimed) this.#begin(run, signal)
    return claimed.length === room && this.#room() > 0
  }

  /** Runs that a limit of their workspace holds back leave their places to others. */
  #room(): number {
    const { concurrency } = this.#options
    let heldBack = 0
    for (const { chain } of this.#held.values()) if (chain?.isHeldBack === true) heldBack += 1
    const places = Math.min(concurrency + heldBack, concurrency * HELD_BACK_FACTOR)
    return Math.min(LARGEST_CLAIM, places - this.#held.size)
  }

  /** Runs of dead workers are looked for now and again, also while the queue is never empty. */
  async #claim(room: number): Promise<ClaimedRun[]> {
    const { runs, worker, leaseSeconds } = this.#options
    if (performance.now() >= this.#lookForExpiredAt) {
      this.#lookForExpiredAt = performance.now() + POLL_MS
      const expired = await runs.claimExpired(worker, leaseSeconds, room)
      if (expired.length > 0) return expired
    }
    return await runs.claimQueued(worker, leaseSeconds, room, this.#greedyWorkspaces())
  }

  /** Workspaces that hold half of the places here already: what is left is for the others. */
  #greedyWorkspaces(): string[] {
    const counts = new Map<string, number>()
    for (const { workspaceId } of this.#held.values())
      counts.set(workspaceId, (counts.get(workspaceId) ?? 0) + 1)
    return [...counts].filter(([, count]) => count * 2 >= this.#options.concurrency).map(([id]) => id)
  }

  #begin(run: ClaimedRun, signal: AbortSignal): void {
    const { id, attempt, workspaceId } = run
    const held: HeldRun = { claim: { id, attempt }, workspaceId, chain: undefined }
    // A process that stood still for longer than a lease may claim what it is still working on.
    this.#held.get(run.id)?.chain?.end(leaseLost())
    this.#held.set(run.id, held)
    const working = this.#options
      .work(run, held, signal)
      .catch((error: unknown) => this.#options.log.error({ err: error, runId: run.id }, 'run not finished'))
      .finally(() => {
        if (this.#held.get(run.id) === held) this.#held.delete(run.id)
        this.#working.delete(working)
        this.#wakeUp.ring()
      })
    this.#working.add(working)
  }

  async #hold(): Promise<void> {
    if (this.#held.size === 0) return
    const claims = [...this.#held.values()].map(({ claim }) => claim)
    const lost = await this.#options.runs.extendLeases(claims, this.#options.leaseSeconds)
    for (const id of lost) this.#held.get(id)?.chain?.end(leaseLost())
  }

  async #drain(): Promise<void> {
    const late = new Promise<void>((resolve) => setTimeout(resolve, DRAIN_MS).unref())
    await Promise.race([Promise.allSettled(this.#working), late])
    const left = [...this.#held.values()]
    for (const { chain } of left) chain?.end(leaseLost())
    if (left.length > 0) await this.#options.runs.release(left.map(({ claim }) => claim))
  }
}

/** Never shown to anybody: what the run did since is dropped. */
const leaseLost = () => new Failure('ServiceUnavailable', 'Another instance has taken over the run.')
