import { expect, test } from 'vitest'
import { SearchError } from '../search.ts'
import { bulk, bulkAction } from './bulk.ts'
import type { IndexContext, StoreRequest, StoreResponse } from './store.ts'

const actions = Array.from({ length: 700 }, (_, number) => bulkAction({ delete: { _id: String(number) } }))

/** A store that responds after a moment, to the last request first, and fails from a request on. */
function storeFailingFrom(failing: number) {
  const seen = { requests: 0, most: 0, underWay: 0 }
  const respond = async ({ lines = [] }: StoreRequest) => {
    seen.requests += 1
    const isRefused = seen.requests >= failing
    seen.underWay += 1
    seen.most = Math.max(seen.most, seen.underWay)
    await new Promise((resolve) => setTimeout(resolve, seen.requests % 2 === 0 ? 1 : 10))
    seen.underWay -= 1
    if (isRefused) throw new SearchError('busy', { unavailable: true })
    const items = lines.map((line) => ({ delete: { ...JSON.parse(line).delete, _index: 'i', status: 200 } }))
    return { status: 200, body: { items } }
  }
  const context: IndexContext = {
    store: <Body>(request: StoreRequest) => respond(request) as Promise<StoreResponse<Body>>,
    template: { driver: 'opensearch', prefix: '', shards: 1, replicas: 0, lifecycle: undefined },
    log: { info: () => undefined },
  }
  return { context, seen }
}

test('results come in the order of their actions, from two requests at a time', async () => {
  const { context, seen } = storeFailingFrom(Number.POSITIVE_INFINITY)
  const results = await bulk(context, actions)
  expect(results.map(({ _id }) => Number(_id))).toEqual(actions.map((_, number) => number))
  expect(seen).toMatchObject({ requests: 6, most: 2 })
})

test('no request is begun after one that failed', async () => {
  const { context, seen } = storeFailingFrom(1)
  await expect(bulk(context, actions)).rejects.toMatchObject({ unavailable: true })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(seen.requests).toBeLessThanOrEqual(2)
})
