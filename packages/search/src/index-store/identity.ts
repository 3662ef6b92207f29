import { randomUUID } from 'node:crypto'
import { ADMIN_MS, bodyOf, type IndexContext, nameOf } from './store.ts'

const indexOf = ({ template }: IndexContext): string => `${template.prefix}platform-index`

/** Names this very index (port search-index.ts, `identity`). */
export async function identity(context: IndexContext): Promise<string | undefined> {
  const response = await context.store<{ found?: boolean; _source?: { identity: string } }>({
    method: 'GET',
    path: `/${indexOf(context)}/_doc/identity`,
    timeoutMs: ADMIN_MS,
  })
  if (response.status === 404) return undefined
  return bodyOf(response)._source?.identity
}

/** Gives an index its name, once; who comes second gets the name of the first. */
export async function initialize(context: IndexContext): Promise<string> {
  const known = await identity(context)
  if (known !== undefined) return known
  await createPlainIndex(context, indexOf(context))
  const response = await context.store({
    method: 'PUT',
    path: `/${indexOf(context)}/_create/identity`,
    query: { refresh: true },
    body: { identity: randomUUID() },
    timeoutMs: ADMIN_MS,
  })
  bodyOf(response, 409)
  return (await identity(context)) ?? (await initialize(context))
}

/** A small index with no fields to search by. */
export async function createPlainIndex({ store, template }: IndexContext, name: string): Promise<void> {
  const response = await store({
    method: 'PUT',
    path: `/${name}`,
    body: {
      settings: { number_of_shards: 1, number_of_replicas: template.replicas },
      mappings: { dynamic: false },
    },
    timeoutMs: ADMIN_MS,
  })
  if (nameOf(response.body) !== 'resource_already_exists_exception') bodyOf(response)
}
