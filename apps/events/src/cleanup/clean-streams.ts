import { IndicesReport } from '@platform/contracts'
import type { Retained, SearchIndex, StreamSummary } from '@platform/search'
import type { Budget, Cleanup, Progress } from './cleanup.ts'
import { decideDrop } from './decide-drop.ts'
import { inactiveStream, noIndices, withStream } from './indices-report.ts'
import { previewStreams } from './preview-streams.ts'
import { type Drop, expiredBefore } from './retention.ts'
import { isInLog, type StoredStreams, workspaceOf } from './stored-streams.ts'

type Progressed = Progress<IndicesReport>

const PAGE = 100
const LOG = 'log:'
const INDEX = 'index:'

/** Drops what is past its retention, first from the log, then from the index what the log has no longer. */
export const cleanStreams = (deps: StoredStreams): Cleanup<IndicesReport> => ({
  name: 'indices',
  schema: IndicesReport,
  start: { cursor: LOG, report: noIndices },
  step: (cursor, report, budget) =>
    cursor.startsWith(LOG)
      ? cleanLogPage(deps, cursor.slice(LOG.length), report, budget)
      : cleanIndexPage(deps, cursor.slice(INDEX.length), report, budget),
  preview: () => previewStreams(deps),
  summary: (report) => report,
})

async function cleanLogPage(
  deps: StoredStreams,
  after: string,
  report: IndicesReport,
  budget: Budget,
): Promise<Progressed> {
  const streams = await deps.log.streams(after === '' ? undefined : after, PAGE)
  const workspaces = streams.flatMap(({ stream }) => workspaceOf(stream) ?? [])
  await deps.deletions.scheduleLost(workspaces, deps.clock.now())
  const deleted = await deps.deletions.scheduledAmong(workspaces)
  let progress: Progressed = { cursor: LOG + after, report }
  for (const summary of streams) {
    const cleaned = await cleanStream(
      deps,
      summary,
      deleted.has(workspaceOf(summary.stream) ?? ''),
      progress.report,
      budget,
    )
    if (!cleaned.finished) return { ...progress, report: cleaned.report }
    progress = { cursor: LOG + summary.stream, report: cleaned.report }
  }
  if (streams.length === PAGE) return progress
  return { cursor: deps.index === undefined ? undefined : INDEX, report: progress.report }
}

/** Twice: a stream that has lost its expired events may be small by that. */
async function cleanStream(
  deps: StoredStreams,
  summary: StreamSummary,
  isDeleted: boolean,
  report: IndicesReport,
  budget: Budget,
): Promise<{ report: IndicesReport; finished: boolean }> {
  const first = await decideDrop(deps, summary, isDeleted)
  const removed = await remove(deps.log, first, budget)
  const dropped = withDrop(report, first, removed)
  if (!removed.finished || removed.documents === 0 || first.reason === 'inactive')
    return { report: dropped, finished: removed.finished }
  const left = { ...summary, documents: summary.documents - removed.documents }
  const second = await decideDrop(deps, left, isDeleted)
  if (second.reason !== 'inactive') return { report: dropped, finished: true }
  const more = await remove(deps.log, second, budget)
  return { report: withDrop(dropped, second, more), finished: more.finished }
}

interface Removed {
  documents: number
  /** False when the budget ended first: the stream is looked at again. */
  finished: boolean
}

const withDrop = (
  report: IndicesReport,
  { stream, reason }: Drop,
  { documents, finished }: Removed,
): IndicesReport =>
  reason === 'expired'
    ? { ...report, expiredEvents: report.expiredEvents + documents }
    : inactiveStream(report, stream, documents, finished)

async function remove(from: Retained, { stream, before }: Drop, budget: Budget): Promise<Removed> {
  let documents = 0
  for (;;) {
    const limit = budget.next
    if (limit === 0) return { documents, finished: false }
    const deleted = await from.deleteBefore(stream, before, limit)
    budget.took(deleted)
    documents += deleted
    if (deleted < limit) return { documents, finished: true }
  }
}

async function cleanIndexPage(
  deps: StoredStreams,
  after: string,
  report: IndicesReport,
  budget: Budget,
): Promise<Progressed> {
  const { index, settings, clock } = deps
  if (index === undefined) return { cursor: undefined, report }
  const streams = await index.streams(after === '' ? undefined : after, PAGE)
  let progress: Progressed = { cursor: INDEX + after, report }
  for (const summary of streams) {
    const { stream } = summary
    if (await isInLog(deps.log, stream)) {
      const before = expiredBefore(settings, clock.now())
      const { finished } = await remove(index, { stream, before, reason: 'expired' }, budget)
      if (!finished) return progress
      progress = { cursor: INDEX + stream, report: progress.report }
    } else {
      await dropLeftover(deps, index, stream)
      progress = { cursor: INDEX + stream, report: withStream(progress.report, summary) }
    }
  }
  return streams.length === PAGE ? progress : { cursor: undefined, report: progress.report }
}

/** The log is the truth; what came into it in this moment is copied again. */
async function dropLeftover(deps: StoredStreams, index: SearchIndex, stream: string): Promise<void> {
  await index.deleteStream(stream)
  if (await isInLog(deps.log, stream)) await deps.rebuildStream(stream)
}
