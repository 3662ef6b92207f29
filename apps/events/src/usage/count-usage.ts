import { type Clock, DAY_MS, SECOND_MS } from '@platform/kernel'
import type { Log } from '@platform/search'
import { inBatches, type Job } from '@platform/service'
import { COUNTED, tally } from './usage.ts'
import type { UsageStore } from './usage-store.ts'

const BATCH = 1000
/** How far a question goes on counting before it is answered with what there is. */
const BATCHES_OF_A_QUESTION = 5
const COUNT_EVERY_MS = 10 * SECOND_MS
/**
 * Whole batches are counted sooner: read while the database has them in memory, events cost a third of what they cost
 * ten busy seconds later.
 */
const LOOK_EVERY_MS = SECOND_MS
/** As long as the events themselves are stored, unless their retention is set otherwise. */
const VISITORS_DAYS = 1080

/** Counts the usage from the log, each event once, however many processes count. */
export interface UsageCounter {
  /** Counts what is new, up to some thousands of events. */
  catchUp(): Promise<void>
  jobs: Job[]
}

export function usageCounter(deps: {
  usage: UsageStore
  eventLog: Pick<Log, 'groupsAfter' | 'lastSequence'>
  clock: Clock
}): UsageCounter {
  const { usage, eventLog, clock } = deps

  /** Counts one batch; answers how many events it had. Where another process was faster there may be more. */
  async function countBatch(): Promise<number> {
    const from = await usage.progress()
    const groups = await eventLog.groupsAfter(from, BATCH, COUNTED)
    const last = groups.at(-1)
    if (last === undefined) return 0
    if (!(await usage.add(tally(groups), { from, to: last.sequence }))) return BATCH
    return groups.reduce((sum, { count }) => sum + count, 0)
  }

  async function hasWholeBatch(): Promise<boolean> {
    const [counted, last] = await Promise.all([usage.progress(), eventLog.lastSequence()])
    return last - counted >= BATCH
  }

  let countedAt = 0
  async function count(signal: AbortSignal): Promise<void> {
    const now = clock.now().getTime()
    const countsAll = now - countedAt >= COUNT_EVERY_MS
    if (countsAll) countedAt = now
    await inBatches(BATCH, signal, async () => (countsAll || (await hasWholeBatch()) ? countBatch() : 0))
  }

  return {
    async catchUp() {
      for (let batch = 0; batch < BATCHES_OF_A_QUESTION; batch += 1) if ((await countBatch()) < BATCH) return
    },
    jobs: [
      {
        name: 'count-usage',
        everyMs: LOOK_EVERY_MS,
        run: count,
      },
      {
        name: 'forget-visitors',
        everyMs: DAY_MS,
        run: (signal) => {
          const before = new Date(clock.now().getTime() - VISITORS_DAYS * DAY_MS).toISOString().slice(0, 10)
          return inBatches(BATCH, signal, (limit) => usage.forgetVisitors(before, limit))
        },
      },
    ],
  }
}
