import { randomBytes } from 'node:crypto'
import { afterAll, describe } from 'vitest'
import { retainedConformance, searchConformance } from '../../test/conformance.ts'
import { searchServer } from '../../test/index-store.ts'
import { openSearchIndex } from '../open-search-index.ts'
import type { SearchIndex } from '../search-index.ts'

describe.skipIf(searchServer === undefined)('the index', () => {
  const opened: SearchIndex[] = []
  // A node holds 1000 shards.
  afterAll(async () => {
    for (const index of opened) {
      for (const { stream } of await index.streams(undefined, 1000)) await index.deleteStream(stream)
      await index[Symbol.asyncDispose]()
    }
  })
  const open = async () => {
    const url = `${searchServer}?namespace=t${randomBytes(6).toString('hex')}`
    const index = await openSearchIndex(url, { replicas: 0 })
    opened.push(index)
    const add = async (documents: Parameters<typeof index.add>[0]) => {
      const rejections = await index.add(documents)
      if (rejections.length > 0) throw new Error(rejections[0]?.reason)
    }
    return { search: index, store: index, add, refresh: index.refresh }
  }

  searchConformance('in the order of the log', open)
  retainedConformance('what is retained', open)
})
