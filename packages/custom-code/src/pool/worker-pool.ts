import { FairPlaces, type GiveBack } from '@platform/kernel'
import type { WorkerOutcome, WorkerPlan, WorkerTask } from './worker-process.ts'
import { WorkerProcess } from './worker-process.ts'

export interface PoolOptions {
  readonly plan: () => Promise<WorkerPlan> | WorkerPlan
  /** Processes at most. */
  readonly workers: number
  /** Tasks that may wait, and of one workspace. */
  readonly maxWaiting: number
  /** After which a process without work ends. */
  readonly idleMs: number
  /** True where a process that has served a workspace serves no other. */
  readonly isExclusive: boolean
  /** Of a process that ended and should not have. */
  readonly onEnd: (end: { why: string; said: string }) => void
}

/** Nothing was free, and too much waited already. */
export class PoolIsFull extends Error {}

interface Member {
  readonly worker: WorkerProcess
  /** Those it has served, and what it knows of them is warm; the last is the latest. */
  readonly workspaces: Set<string>
  giveBack: GiveBack | undefined
  idleTimer: NodeJS.Timeout | undefined
}

/** More are forgotten: the worker itself keeps only some. */
const WARM_WORKSPACES = 8

/** Processes that are started when they are needed, given to workspaces in turn, and replaced when they end. */
export class WorkerPool {
  readonly #options: PoolOptions
  readonly #places: FairPlaces
  readonly #members = new Set<Member>()
  #starting = 0
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
    const { workers } = options
    this.#places = new FairPlaces({ each: Math.max(1, workers - 1), all: workers })
  }

  get load(): { readonly workers: number; readonly taken: number; readonly waiting: number } {
    return { workers: this.#members.size, ...this.#places.load }
  }

  get pids(): number[] {
    return [...this.#members].flatMap(({ worker }) => worker.pid ?? [])
  }

  /** Rejects with PoolIsFull, or with the reason of the signal before the task has begun. */
  async run(workspaceId: string, task: WorkerTask): Promise<WorkerOutcome> {
    const { maxWaiting } = this.#options
    const { waiting } = this.#places.load
    if (
      waiting >= maxWaiting ||
      this.#places.loadOf(workspaceId).waiting * 10 >= maxWaiting ||
      this.#isClosed
    )
      throw new PoolIsFull()
    const giveBack = await this.#places.take(workspaceId, task.signal)
    let member: Member
    try {
      member = this.#idleFor(workspaceId) ?? (await this.#started())
    } catch (error) {
      giveBack()
      throw error
    }
    member.giveBack = giveBack
    clearTimeout(member.idleTimer)
    member.workspaces.delete(workspaceId)
    member.workspaces.add(workspaceId)
    return member.worker.run(task)
  }

  /** One that knows the workspace, or any, as long as it need not stand for another that could be started. */
  #idleFor(workspaceId: string): Member | undefined {
    const idle = [...this.#members].filter(
      ({ giveBack, worker }) => giveBack === undefined && !worker.isEnded,
    )
    const known = idle.find(({ workspaces }) => workspaces.has(workspaceId))
    if (known !== undefined) return this.#taken(known)
    if (!this.#options.isExclusive) {
      const [fewest] = idle.sort((a, b) => a.workspaces.size - b.workspaces.size)
      return fewest === undefined ? undefined : this.#taken(fewest)
    }
    const [oldest] = idle
    const isFull = this.#members.size + this.#starting >= this.#options.workers
    if (isFull && oldest !== undefined) this.#drop(oldest)
    return undefined
  }

  #taken(member: Member): Member {
    member.giveBack = taken
    return member
  }

  async #started(): Promise<Member> {
    this.#starting += 1
    const plan = await Promise.resolve(this.#options.plan()).finally(() => {
      this.#starting -= 1
    })
    if (this.#isClosed) throw new PoolIsFull()
    const worker = new WorkerProcess(plan, (isAlive) => this.#rested(member, isAlive))
    const member: Member = { worker, workspaces: new Set(), giveBack: taken, idleTimer: undefined }
    this.#members.add(member)
    return member
  }

  #rested(member: Member, isAlive: boolean): void {
    const { giveBack } = member
    member.giveBack = undefined
    if (isAlive) {
      for (const oldest of member.workspaces) {
        if (member.workspaces.size <= WARM_WORKSPACES) break
        member.workspaces.delete(oldest)
      }
      member.idleTimer = setTimeout(() => this.#drop(member), this.#options.idleMs)
      member.idleTimer.unref()
    } else {
      clearTimeout(member.idleTimer)
      const { why = 'ended', errorText } = member.worker
      // Not those that were dropped: nothing needed them any more.
      if (this.#members.delete(member) && why !== 'aborted')
        this.#options.onEnd({ why, said: errorText.slice(-1000) })
    }
    giveBack?.()
  }

  #drop(member: Member): void {
    this.#members.delete(member)
    clearTimeout(member.idleTimer)
    member.worker.end()
  }

  /** Ends all of them at once; what they were at is `killed`. */
  close(): void {
    this.#isClosed = true
    for (const member of [...this.#members]) this.#drop(member)
  }
}

/** It is somebody's, who has not brought a place yet. */
const taken: GiveBack = () => undefined
