import type { IndicesReport } from '@platform/contracts'
import type { Search } from '@platform/search'
import { countDocuments, decideDrop } from './decide-drop.ts'
import { inactiveStream, noIndices, withStream } from './indices-report.ts'
import { expiredBefore } from './retention.ts'
import { isInLog, type StoredStreams, workspaceOf } from './stored-streams.ts'

const PAGE = 500
const PAGES = 20

interface Preview {
  report: IndicesReport
  done: boolean
}

/** What a run would do, from numbers alone. Streams that only become small by what expires are not foreseen. */
export async function previewStreams(deps: StoredStreams): Promise<Preview> {
  const seen = await previewInactive(deps, noIndices)
  const expired = await countExpired(deps.log, expiredBefore(deps.settings, deps.clock.now()))
  // What is purged as inactive is not counted twice.
  const report = { ...seen.report, expiredEvents: Math.max(0, expired - seen.expiredToo) }
  const leftovers = await previewLeftovers(deps, report)
  return { report: leftovers.report, done: seen.done && leftovers.done }
}

async function previewInactive(
  deps: StoredStreams,
  start: IndicesReport,
): Promise<Preview & { expiredToo: number }> {
  const { log, deletions, settings, clock } = deps
  let report = start
  let expiredToo = 0
  let after: string | undefined
  for (let page = 0; page < PAGES; page++) {
    const streams = await log.streams(after, PAGE)
    const deleted = await deletions.scheduledAmong(streams.flatMap(({ stream }) => workspaceOf(stream) ?? []))
    for (const summary of streams) {
      const { stream, documents } = summary
      const { reason } = await decideDrop(deps, summary, deleted.has(workspaceOf(stream) ?? ''))
      if (reason !== 'inactive') continue
      report = inactiveStream(report, stream, documents, true)
      expiredToo += await countExpired(log, expiredBefore(settings, clock.now()), stream)
    }
    after = streams.at(-1)?.stream
    if (streams.length < PAGE) return { report, expiredToo, done: true }
  }
  return { report, expiredToo, done: false }
}

async function previewLeftovers(deps: StoredStreams, start: IndicesReport): Promise<Preview> {
  let report = start
  let after: string | undefined
  if (deps.index === undefined) return { report, done: true }
  for (let page = 0; page < PAGES; page++) {
    const streams = await deps.index.streams(after, PAGE)
    for (const summary of streams) {
      if (!(await isInLog(deps.log, summary.stream))) report = withStream(report, summary)
    }
    after = streams.at(-1)?.stream
    if (streams.length < PAGE) return { report, done: true }
  }
  return { report, done: false }
}

const countExpired = (search: Search, before: Date, stream?: string): Promise<number> =>
  countDocuments(search, { path: 'createdAt', below: before.toISOString() }, stream)
