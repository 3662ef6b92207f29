/** Why the log answered instead of the index. */
export type LogReason = 'away' | 'incomplete' | 'late' | 'rebuilding' | 'unsupported'

/** What this process has counted of the index, for metrics. */
export class IndexCounts {
  indexed = 0
  rejected = 0
  answeredByIndex = 0
  readonly answeredByLog: Record<LogReason, number> = {
    away: 0,
    incomplete: 0,
    late: 0,
    rebuilding: 0,
    unsupported: 0,
  }
}
