const useMetrics = 'is not taken: use sum, avg, min, max and cardinality side by side'
const useDates = 'is not taken: use filters with range'

/** Aggregations of the query language that are known and not taken, and what to use instead. */
export const refusedAggregations: ReadonlyMap<string, string> = new Map([
  ['scripted_metric', 'scripts do not run here: use sum, avg, min, max or cardinality'],
  ['bucket_script', 'scripts do not run here: compute it from the buckets of the answer'],
  ['bucket_selector', 'scripts do not run here: choose among the buckets of the answer'],
  ['stats', useMetrics],
  ['extended_stats', useMetrics],
  ['percentiles', useMetrics],
  ['value_count', 'is not taken: use filters with exists, whose doc_count it is'],
  ['filter', 'is not taken: use filters with one name'],
  ['missing', 'is not taken: use filters with must_not and exists'],
  ['range', useDates],
  ['date_range', useDates],
  ['histogram', useDates],
  ['auto_date_histogram', 'is not taken: use date_histogram'],
  ['multi_terms', 'is not taken: use composite'],
  ['rare_terms', 'is not taken: use composite, which pages through all values'],
  ['significant_terms', 'is not taken: use terms'],
  ['significant_text', 'is not taken: use terms'],
  ['global', 'is not taken: every aggregation stays within the query'],
  ['nested', 'is not taken: a path leads through lists by itself'],
  ['top_hits', 'is not taken: ask for the documents in a search of their own'],
])
