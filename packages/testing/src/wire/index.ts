import { chunks } from './chunks.ts'
import { connections } from './connections.ts'
import { headerLines } from './header-lines.ts'
import { lengths } from './lengths.ts'
import { targets } from './targets.ts'
import type { WireRow } from './wire-row.ts'

export { ordinaryStatuses, outcomeProblems } from './judge.ts'
export { readAnswers, type WireAnswer } from './read-answers.ts'
export { sendRow, type WireOutcome } from './send-row.ts'
export { tryBehind } from './try-behind.ts'
export { tryRows, type WireReport } from './try-rows.ts'
export type { Bytes, Status, WireRow, WireTarget } from './wire-row.ts'

/**
 * Raw requests written from RFC 9110 and 9112 and from known ways to smuggle requests.
 */
export const wireRows: readonly WireRow[] = [
  ...lengths,
  ...chunks,
  ...headerLines,
  ...targets,
  ...connections,
]
