import { getHeapStatistics } from 'node:v8'
import type { LeasedRun } from './run.ts'

/** What a process may begin beside what it holds. */
interface Places {
  /** Runs that may be begun now; none or fewer where there is no room. */
  readonly free: number
  /** Workspaces that have their share already: what is free is for the others. */
  readonly greedy: readonly string[]
}

/** Runs at most that a process holds, as a multiple of those that it works on: the others wait. */
const HELD_FACTOR = 8
/** Of all places, one workspace takes no more than this share. */
const SHARE_OF_ONE = 0.5
/** Of the memory that V8 may use, what is dead included: with less used, one workspace may hold more runs. */
const AMPLE_MEMORY = 0.4
/** With more, it may hold as many as may be at work, and no more. */
const SCARCE_MEMORY = 0.6

/**
 * The places of triggered runs in this process, of which `concurrency` are worked on at the same time. A run that waits
 * for a limit of its workspace, or for the outside, leaves its place to others. To others of its own workspace only as
 * experience allows: each run that has ended while there was memory lets its workspace hold one more. What runs get
 * from outside may be large, and is there when it is too late to begin fewer of them.
 */
export class RunPlaces {
  readonly #concurrency: number
  readonly #usedMemory: () => number
  readonly #ownShare: number
  /** Runs held at most: in all, and of one workspace. */
  readonly #most: { readonly ofAll: number; readonly ofOne: number }
  /** Of each workspace that wanted more than its share of those at work: how many runs it may hold, waiting or not. */
  readonly #mayHold = new Map<string, number>()

  /** `usedMemory` is the share of what this process may use, 0 to 1. */
  constructor(concurrency: number, usedMemory = usedHeap) {
    this.#concurrency = concurrency
    this.#usedMemory = usedMemory
    this.#ownShare = shareOf(concurrency)
    const ofAll = concurrency * HELD_FACTOR
    this.#most = { ofAll, ofOne: shareOf(ofAll) }
  }

  /** To be asked before runs are begun: it is also how it learns who wants more, and whose burst is over. */
  count(leased: Iterable<LeasedRun>): Places {
    const counts = countByWorkspace(leased)
    this.#noticeWants(counts)
    const all = [...counts.values()]
    const sum = (of: (count: Count) => number): number => all.reduce((total, one) => total + of(one), 0)
    const atWork = sum((one) => one.atWork)
    // When what many runs of a workspace wait for comes at once, they share its own half, and take nobody's.
    const taken = atWork > this.#concurrency ? sum((one) => Math.min(one.atWork, this.#ownShare)) : atWork
    return {
      free: Math.min(this.#concurrency - taken, this.#most.ofAll - sum(({ held }) => held)),
      greedy: [...counts].filter(([id, one]) => this.#isGreedy(id, one)).map(([id]) => id),
    }
  }

  #noticeWants(counts: ReadonlyMap<string, Count>): void {
    for (const id of this.#mayHold.keys()) if (!counts.has(id)) this.#mayHold.delete(id)
    for (const [id, { held }] of counts)
      if (held >= this.#ownShare && !this.#mayHold.has(id)) this.#mayHold.set(id, this.#ownShare)
  }

  #isGreedy(workspaceId: string, { held, atWork }: Count): boolean {
    return atWork >= this.#ownShare || held >= (this.#mayHold.get(workspaceId) ?? this.#ownShare)
  }

  /** A run of the workspace has ended here. */
  ended(workspaceId: string): void {
    const mayHold = this.#mayHold.get(workspaceId)
    if (mayHold === undefined) return
    const used = this.#usedMemory()
    if (used > SCARCE_MEMORY) this.#mayHold.set(workspaceId, this.#ownShare)
    else if (used < AMPLE_MEMORY && mayHold < this.#most.ofOne) this.#mayHold.set(workspaceId, mayHold + 1)
  }
}

interface Count {
  held: number
  /** Those that don't wait. */
  atWork: number
}

function countByWorkspace(leased: Iterable<LeasedRun>): Map<string, Count> {
  const counts = new Map<string, Count>()
  for (const { workspaceId, active } of leased) {
    const count = counts.get(workspaceId) ?? { held: 0, atWork: 0 }
    count.held += 1
    if (active?.isWaiting !== true) count.atWork += 1
    counts.set(workspaceId, count)
  }
  return counts
}

/** One at least, so that a workspace gets any. */
const shareOf = (places: number): number => Math.ceil(places * SHARE_OF_ONE)

function usedHeap(): number {
  const { used_heap_size, heap_size_limit } = getHeapStatistics()
  return used_heap_size / heap_size_limit
}
