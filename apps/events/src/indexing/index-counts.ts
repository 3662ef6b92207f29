/** Why the log answered instead of the index; `failed`: the index had no answer to this one question. */
export type LogReason = 'away' | 'failed' | 'incomplete' | 'late' | 'lost' | 'rebuilding' | 'unsupported'

/** What this process has counted of the index, for metrics. */
export class IndexCounts {
  indexed = 0
  rejected = 0
  answeredByIndex = 0
  readonly answeredByLog: Record<LogReason, number> = {
    away: 0,
    failed: 0,
    incomplete: 0,
    late: 0,
    lost: 0,
    rebuilding: 0,
    unsupported: 0,
  }
}
