import type { Clock } from '@platform/kernel'
import { type Budget, type Cleanup, callBudget, type Progress } from './cleanup.ts'
import type { CleanupRecord, CleanupStore } from './cleanup-store.ts'

interface Deps {
  store: CleanupStore
  clock: Clock
}

interface Outcome<Report> {
  report: Report
  /** False when there is more to do for another call. */
  done: boolean
}

/**
 * Does a part of a cleanup: begins a run, or goes on with the one under way. Throws ResourceLocked while another
 * process cleans.
 */
export const runCleanup = <Report>(
  cleanup: Cleanup<Report>,
  deps: Deps,
  budget: Budget = callBudget(),
): Promise<Outcome<Report>> =>
  deps.store.alone(async (stillAlone) => {
    const record = await deps.store.find(cleanup.name, deps.clock.now())
    return await goOn(cleanup, deps, { record, follows: false, budget, stillAlone })
  })

/** The same, if a run is still wanted once no other process cleans. */
export const runWantedCleanup = <Report>(
  cleanup: Cleanup<Report>,
  deps: Deps,
  isWanted: (record: CleanupRecord) => boolean,
): Promise<Outcome<Report> | undefined> =>
  deps.store.alone(async (stillAlone) => {
    const record = await deps.store.find(cleanup.name, deps.clock.now())
    if (!isWanted(record)) return undefined
    return await goOn(cleanup, deps, { record, follows: true, budget: callBudget(), stillAlone })
  })

interface Run {
  record: CleanupRecord
  follows: boolean
  budget: Budget
  stillAlone: () => Promise<void>
}

async function goOn<Report>(
  cleanup: Cleanup<Report>,
  { store, clock }: Deps,
  { record, follows, budget, stillAlone }: Run,
): Promise<Outcome<Report>> {
  const { name, start } = cleanup
  const startedAt = record.startedAt ?? clock.now()
  if (record.startedAt === null) await store.begin(name, { startedAt, ...start, follows })

  let progress = progressOf(cleanup, record)
  while (progress.cursor !== undefined && budget.next > 0) {
    await stillAlone()
    progress = await cleanup.step(progress.cursor, progress.report, budget)
    if (progress.cursor !== undefined) await store.storeProgress(name, progress.cursor, progress.report)
  }

  const { cursor, report } = progress
  if (cursor !== undefined) return { report, done: false }
  await store.finish(name, { startedAt, endedAt: clock.now() }, cleanup.summary(report))
  return { report, done: true }
}

/** A run whose report can't be read is begun again: each step may be. */
function progressOf<Report>(
  { start, schema }: Cleanup<Report>,
  { startedAt, cursor, report }: CleanupRecord,
): Progress<Report> {
  if (startedAt === null || cursor === null) return start
  const stored = schema.safeParse(report)
  return stored.success ? { cursor, report: stored.data } : start
}
