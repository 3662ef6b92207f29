import { randomUUID } from 'node:crypto'
import { createPlainIndex } from './identity.ts'
import { ADMIN_MS, type IndexContext } from './index-context.ts'
import { bodyOf } from './store-request.ts'

/** Writes a document and deletes it, in an index of its own (specification "Readiness": events row). */
export async function probe(context: IndexContext, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
  await Promise.race([writeAndDelete(context), aborted])
}

async function writeAndDelete(context: IndexContext): Promise<void> {
  const index = `${context.template.prefix}platform-probe`
  const path = `/${index}/_doc/${randomUUID()}`
  const isThere = await context.store({ method: 'GET', path: `/${index}/_mapping`, timeoutMs: ADMIN_MS })
  if (isThere.status === 404) await createPlainIndex(context, index)
  bodyOf(await context.store({ method: 'PUT', path, body: { type: 'probe' }, timeoutMs: ADMIN_MS }))
  bodyOf(await context.store({ method: 'DELETE', path, timeoutMs: ADMIN_MS }), 404)
}
