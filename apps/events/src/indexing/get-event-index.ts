import { type EventIndex, getEventIndex as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import type { IndexOperations } from './index-operations.ts'

/** How far the index is built and how far it is behind. */
export const getEventIndex = ({ operations }: { operations: Pick<IndexOperations, 'status'> }) =>
  route(endpoint, {
    handle: async () => noStore(await operations.status()),
  })

const noStore = (body: EventIndex) => respond(body, { headers: { 'cache-control': 'no-store' } })
