import type { IndicesReport } from '@platform/contracts'
import type { StreamSummary } from '@platform/search'

/** Names of each kind that a report has at most. */
const NAMES = 100

const none = { found: 0, streams: [] }

/** Before anything was found. */
export const noIndices: IndicesReport = {
  indicesWithoutDatastream: none,
  inactiveDatastreams: { ...none, result: 0 },
  emptyIndices: none,
  expiredEvents: 0,
}

type Found = IndicesReport['emptyIndices']

const andOne = ({ found, streams }: Found, stream: string): Found => ({
  found: found + 1,
  streams: streams.length < NAMES ? [...streams, stream] : streams,
})

/** With a stream of the index that the log does not have. */
export const withStream = (report: IndicesReport, { stream, documents }: StreamSummary): IndicesReport =>
  documents === 0
    ? { ...report, emptyIndices: andOne(report.emptyIndices, stream) }
    : { ...report, indicesWithoutDatastream: andOne(report.indicesWithoutDatastream, stream) }

/** With events of an inactive stream, which counts once it is empty. */
export function inactiveStream(
  report: IndicesReport,
  stream: string,
  events: number,
  finished: boolean,
): IndicesReport {
  const { inactiveDatastreams: known } = report
  const counted = finished ? andOne(known, stream) : { found: known.found, streams: known.streams }
  return { ...report, inactiveDatastreams: { ...counted, result: known.result + events } }
}
