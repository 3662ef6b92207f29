import { SECOND_MS, ShortLivedMap } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Job } from '@platform/service'
import type { NewWait, Received, WaitInbox } from '../automations/wait-inbox.ts'
import type { WaitStore } from './wait-store.ts'

interface Deps {
  readonly waits: Pick<WaitStore, 'list' | 'close' | 'insert' | 'forget' | 'horizon' | 'listFulfilled'>
  /** Searches the log for events that came before the wait of a run was kept. */
  readonly lookBack: (runId: string) => void
  readonly log: Pick<Logger, 'warn'>
}

/** Where events come for the runs that wait in the memory of this process. */
export class RunInbox implements WaitInbox {
  readonly #deps: Deps
  readonly #watched = new ShortLivedMap<string, () => void>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** An event came for these runs, of which some may be here. */
  hear(runIds: readonly string[]): void {
    for (const runId of runIds) this.#watched.get(runId)?.()
  }

  watch(runId: string, look: () => void): Disposable {
    this.#watched.set(runId, look)
    return {
      [Symbol.dispose]: () => {
        if (this.#watched.get(runId) === look) this.#watched.delete(runId)
      },
    }
  }

  list(runId: string): Promise<Received> {
    return this.#deps.waits.list(runId)
  }

  close(runId: string, number: number): Promise<Received> {
    return this.#deps.waits.close(runId, number)
  }

  async open(wait: NewWait): Promise<void> {
    await this.#deps.waits.insert([wait])
    this.#deps.lookBack(wait.runId)
  }

  async forget(runId: string): Promise<void> {
    try {
      await this.#deps.waits.forget(runId)
    } catch (err) {
      this.#deps.log.warn({ err, runId }, 'the waits of a run that has ended are deleted an hour later')
    }
  }

  horizon(): Promise<string> {
    return this.#deps.waits.horizon()
  }

  /** Makes up for notices that were lost. */
  readonly job: Job = {
    name: 'look-for-events-of-waits',
    everyMs: SECOND_MS,
    run: async () => {
      if (this.#watched.size > 0) this.hear(await this.#deps.waits.listFulfilled([...this.#watched.keys()]))
    },
  }
}
