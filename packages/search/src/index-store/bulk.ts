import pLimit from 'p-limit'
import { BULK_MS, bodyOf, type IndexContext } from './store.ts'

/** One action of a bulk request, as its lines of JSON. */
export interface BulkAction {
  lines: readonly string[]
  bytes: number
}

export interface BulkItem {
  _index: string
  _id: string
  status: number
  error?: { type?: string; reason?: string; caused_by?: { reason?: string } }
}

/** Documents and bytes of a request. */
const DOCUMENTS_MAX = 128
const BYTES_MAX = 5_000_000

export const bulkAction = (...parts: readonly object[]): BulkAction => {
  const lines = parts.map((part) => JSON.stringify(part))
  return { lines, bytes: lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0) }
}

/** Requests under way at a time: a store works on each with one thread. */
const AT_ONCE = 2

/**
 * Sends actions in requests of bounded size; returns the result of each, in their order. After a request that failed
 * no more are begun: a store that is busy gets no further work, and all is sent again later.
 */
export async function bulk(
  { store, template }: IndexContext,
  actions: readonly BulkAction[],
  query: Record<string, string | boolean> = {},
): Promise<BulkItem[]> {
  const known = template.driver === 'elasticsearch' ? query : without(query, 'require_data_stream')
  const send = async (part: readonly BulkAction[]): Promise<BulkItem[]> => {
    const response = await store<{ items: Record<string, BulkItem>[] }>({
      method: 'POST',
      path: '/_bulk',
      query: known,
      lines: part.flatMap(({ lines }) => lines),
      timeoutMs: BULK_MS,
    })
    return bodyOf(response).items.flatMap((item) => Object.values(item))
  }
  const limit = pLimit(AT_ONCE)
  const sendUnlessFailed = async (part: readonly BulkAction[]): Promise<BulkItem[]> => {
    try {
      return await send(part)
    } catch (error) {
      limit.clearQueue()
      throw error
    }
  }
  return (await limit.map(partsOf(actions), sendUnlessFailed)).flat()
}

const without = (query: Record<string, string | boolean>, name: string) =>
  Object.fromEntries(Object.entries(query).filter(([key]) => key !== name))

function partsOf(actions: readonly BulkAction[]): BulkAction[][] {
  const parts: BulkAction[][] = []
  let bytes = 0
  for (const action of actions) {
    const current = parts.at(-1)
    if (current === undefined || current.length >= DOCUMENTS_MAX || bytes + action.bytes > BYTES_MAX) {
      parts.push([action])
      bytes = action.bytes
    } else {
      current.push(action)
      bytes += action.bytes
    }
  }
  return parts
}
