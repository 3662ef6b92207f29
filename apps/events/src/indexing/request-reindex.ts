import { type EventIndex, requestReindex as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import type { IndexOperations } from './index-operations.ts'

/** Has the index built again; the log answers meanwhile. */
export const requestReindex = ({ operations }: { operations: Pick<IndexOperations, 'reindex'> }) =>
  route(endpoint, {
    handle: async ({ query }) => noStore(await operations.reindex(query.workspace)),
  })

const noStore = (body: EventIndex) => respond(body, { headers: { 'cache-control': 'no-store' } })
