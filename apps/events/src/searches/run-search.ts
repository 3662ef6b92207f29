import type { EventSearch, EventSearchAnswer } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { type Analysis, type AnalysisQuery, type Search, SearchError } from '@platform/search'
import { shapeAggregations } from './aggregations/shape-aggregations.ts'
import { selectFields } from './select-fields.ts'

const tooLong = 'The search took longer than 5 s: narrow the range of createdAt or name the types.'

/**
 * What a search gets to read that is too much for the store: it would be no less if it were sent again, so that it is
 * no 503.
 */
const remedies: ReadonlyMap<string, string> = new Map([
  [
    'TOO_MANY_VALUES',
    'The aggregations meet too many different values: narrow the query, or page through the values by composite.',
  ],
  ['TIMEOUT', tooLong],
  // What PostgreSQL says of a statement that ran into its time.
  ['57014', tooLong],
])

/** Asks the store, of one stream or of all, and shapes what it found. */
export async function runSearch(
  search: Search,
  stream: string | undefined,
  query: AnalysisQuery,
  source: EventSearch['source'],
): Promise<EventSearchAnswer> {
  const { documents, aggregations, total } = await analyse(search, stream, query)
  return {
    size: documents.length,
    documents: documents.map(selectFields(source)),
    aggs: shapeAggregations(query.aggregations, aggregations),
    ...(total === undefined ? {} : { total }),
  }
}

async function analyse(search: Search, stream: string | undefined, query: AnalysisQuery): Promise<Analysis> {
  try {
    return await search.analyse(stream, query)
  } catch (error) {
    if (!(error instanceof SearchError)) throw error
    // What no store can do, the store has a sentence for.
    const remedy = error.code === 'UNSUPPORTED' ? error.message : remedies.get(error.code ?? '')
    if (remedy === undefined) throw error
    throw new Failure('RequestValidationError', remedy, { cause: error })
  }
}
