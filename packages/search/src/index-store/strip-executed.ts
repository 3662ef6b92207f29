import { lowestUuidv7 } from '@platform/kernel'
import { SearchError } from '../search.ts'
import { bulk, bulkAction } from './bulk.ts'
import { eventOf, indexedDocument } from './indexed-document.ts'
import { termOfNull, termOfPresence, termsEqual } from './leaves.ts'
import { type Hit, searchStream } from './search-request.ts'
import { type IndexContext, SLOW_MS } from './store.ts'
import { allDataStreams, streamOf } from './stream-names.ts'
import { allOf, type Query } from './to-query.ts'

const STEP = 128
const STRIPPED = ['payload.payload', 'payload.output']

/**
 * Removes `payload.payload` and `payload.output` of executions older than `before`, of all streams; returns how many
 * had one.
 */
export async function stripExecuted(context: IndexContext, before: Date, limit: number): Promise<number> {
  let stripped = 0
  while (stripped < limit) {
    const step = Math.min(STEP, limit - stripped)
    const hits = await unstripped(context, before, step)
    if (hits.length === 0) break
    await replace(context, hits)
    stripped += hits.length
    if (hits.length < step) break
  }
  return stripped
}

async function unstripped(context: IndexContext, before: Date, size: number): Promise<Hit[]> {
  const terms = STRIPPED.flatMap((path) => [termOfPresence(path), termOfNull(path)])
  const query: Query = allOf([
    { terms: { leaves: termsEqual('type', 'runtime.automations.executed') } },
    { terms: { leaves: terms } },
    { range: { id: { lt: lowestUuidv7(before.getTime()) } } },
  ])
  const found = await searchStream(context, undefined, {
    query,
    size,
    seq_no_primary_term: true,
    sort: ['_doc'],
  })
  return found?.hits.hits ?? []
}

/** Each is replaced in its own index, unless it was changed since it was read. */
async function replace(context: IndexContext, hits: readonly Hit[]): Promise<void> {
  const actions = hits.map((hit) => {
    const { _index, _id, _seq_no: if_seq_no, _primary_term: if_primary_term, _source } = hit
    const document = strippedOf(eventOf(_source))
    const placed = { id: _id, stream: '', sequence: _source.sequence, document }
    return bulkAction({ index: { _index, _id, if_seq_no, if_primary_term } }, indexedDocument(placed))
  })
  const results = await bulk(context, actions)
  const failed = results.find(({ status }) => status >= 300 && status !== 409)
  const { prefix } = context.template
  await context.store({
    method: 'POST',
    path: `/${encodeURIComponent(allDataStreams(prefix))}/_refresh`,
    timeoutMs: SLOW_MS,
  })
  if (failed === undefined) return
  const where = streamOf(prefix, failed._index)
  const reason = failed.error?.reason ?? `status ${failed.status}`
  throw new SearchError(`An execution of ${where} could not be stripped: ${reason}`, { unavailable: true })
}

function strippedOf(event: Record<string, unknown>): Record<string, unknown> {
  const { payload } = event
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return event
  const { payload: _payload, output: _output, ...rest } = payload as Record<string, unknown>
  return { ...event, payload: rest }
}
