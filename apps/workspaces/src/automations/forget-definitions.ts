import { type Clock, DAY_MS, HOUR_MS } from '@platform/kernel'
import { inBatches, type Job } from '@platform/service'
import type { DefinitionHistoryStore } from './definition-history-store.ts'

/** A run lives for less, so none that is kept began with anything older. */
const LONGEST_RUN_DAYS = 40
/** Rows removed in one transaction, so that none keeps its locks for long. */
const BATCH = 500

/** Removes what automations were before, once no run can have begun with it. Any instance may run it. */
export const forgetDefinitions = ({
  history,
  clock,
  runsRetentionDays,
}: {
  history: DefinitionHistoryStore
  clock: Clock
  runsRetentionDays: number
}): Job => ({
  name: 'forget-definitions',
  everyMs: HOUR_MS,
  async run(signal) {
    const before = new Date(clock.now().getTime() - (runsRetentionDays + LONGEST_RUN_DAYS) * DAY_MS)
    await inBatches(BATCH, signal, (limit) => history.forget(before, limit))
    await inBatches(BATCH, signal, (limit) => history.forgetTexts(before, limit))
  },
})
