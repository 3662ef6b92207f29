import { isProgram, type Principal } from '@platform/auth'
import { type Clock, DAY_MS, HOUR_MS, SECOND_MS } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'

/** Callers that are counted between two writes; further ones are left out. */
const CALLERS_MAX = 10_000

/** Calls of one caller since they were written last. */
export interface VersionUse {
  version: string
  /** The date whose behaviour was given; empty where none was asked for. */
  behaviourOf: string
  kind: 'user' | 'apiKey' | 'program' | 'anonymous' | 'internal' | 'nobody'
  callerId: string
  clientId: string
  count: number
  firstAt: number
  lastAt: number
}

/**
 * Counts in memory who calls which version, and writes it off the path of requests: by a job, and once more when the
 * service stops.
 */
export class VersionUses {
  #waiting = new Map<string, VersionUse>()
  readonly #write: (uses: readonly VersionUse[]) => Promise<unknown>

  constructor(write: (uses: readonly VersionUse[]) => Promise<unknown>) {
    this.#write = write
  }

  /** Called for each response in such a version; `now` in Unix milliseconds. */
  note(version: string, behaviourOf: string, principal: Principal | undefined, now: number): void {
    const caller = callerOf(principal)
    this.#add({ version, behaviourOf, ...caller, count: 1, firstAt: now, lastAt: now })
  }

  /** Writes what was counted, in one statement. What could not be written is counted on. */
  async flush(): Promise<void> {
    if (this.#waiting.size === 0) return
    const counted = this.#waiting
    this.#waiting = new Map()
    try {
      await this.#write([...counted.values()])
    } catch (error) {
      for (const use of counted.values()) this.#add(use)
      throw error
    }
  }

  job(): Job {
    return { name: 'note-version-uses', everyMs: 5 * SECOND_MS, run: () => this.flush() }
  }

  #add(use: VersionUse): void {
    const key = `${use.version} ${use.behaviourOf} ${use.kind} ${use.callerId} ${use.clientId}`
    const known = this.#waiting.get(key)
    if (known === undefined) {
      if (this.#waiting.size < CALLERS_MAX) this.#waiting.set(key, use)
      return
    }
    known.count += use.count
    known.firstAt = Math.min(known.firstAt, use.firstAt)
    known.lastAt = Math.max(known.lastAt, use.lastAt)
  }
}

type Caller = Pick<VersionUse, 'kind' | 'callerId' | 'clientId'>

/** Visitors without an account are one caller an application: none of them could be told to move. */
function callerOf(principal: Principal | undefined): Caller {
  if (principal === undefined) return { kind: 'nobody', callerId: '', clientId: '' }
  if (principal.kind === 'internal' || principal.kind === 'workspace')
    return { kind: 'internal', callerId: '', clientId: '' }
  if (principal.kind === 'apiKey') return { kind: 'apiKey', callerId: principal.apiKeyId, clientId: '' }
  const clientId = principal.clientId ?? ''
  if (principal.anonymous) return { kind: 'anonymous', callerId: '', clientId }
  if (isProgram(principal)) return { kind: 'program', callerId: '', clientId }
  return { kind: 'user', callerId: principal.userId, clientId }
}

const BATCH = 1000
/** More than a year: a yearly job that calls a version is still known when it comes again. */
const KEPT_DAYS = 400

/** Forgets callers that have not called for long. Any instance may do it. */
export const purgeVersionCallers = (deps: {
  store: { deleteUnseen(before: Date, limit: number): Promise<number> }
  clock: Clock
}): Job => ({
  name: 'purge-version-callers',
  everyMs: 6 * HOUR_MS,
  run: (signal) =>
    inBatches(BATCH, signal, (limit) =>
      deps.store.deleteUnseen(new Date(deps.clock.now().getTime() - KEPT_DAYS * DAY_MS), limit),
    ),
})
