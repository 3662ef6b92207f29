import { searchAllEvents } from '@platform/contracts'
import { describe, expect } from 'vitest'
import { newWorkspace, seed } from '../../test/search-requests.ts'
import { test } from '../../test/service-fixture.ts'

const query = (marks: string[]) => ({ query: { terms: { 'payload.mark': marks } } })

describe('searching the events of all workspaces', () => {
  test('finds and counts across workspaces, for a super administrator', async ({ service, workspaceId }) => {
    const other = await newWorkspace(service, 'bob')
    const marks = [`mark-${workspaceId}`, `mark-${other}`]
    await seed(service, workspaceId, [{ type: 'a', payload: { mark: marks[0] } }])
    await seed(service, other, [{ type: 'a', payload: { mark: marks[1] } }])
    const root = service.as({ userId: 'root', superAdmin: true })
    const { documents, total, aggs } = await root(searchAllEvents, {
      body: { ...query(marks), track_total_hits: true, aggs: { types: { terms: { field: 'type' } } } },
    })
    expect(documents.map(({ payload }) => payload)).toEqual([{ mark: marks[1] }, { mark: marks[0] }])
    expect(total).toBe(2)
    expect(aggs).toEqual({ types: { sum_other_doc_count: 0, buckets: [{ key: 'a', doc_count: 2 }] } })
    expect((await service.internal(searchAllEvents, { body: query(marks) })).size).toBe(2)
  })

  test('refuses what a search of one workspace refuses', async ({ service }) => {
    const root = service.as({ userId: 'root', superAdmin: true })
    await expect(root(searchAllEvents, { body: { query: { script: {} } } })).rejects.toMatchObject({
      name: 'RequestValidationError',
      status: 400,
    })
  })

  test('is for super administrators only', async ({ service }) => {
    await expect(service.as({ userId: 'ada' })(searchAllEvents, { body: {} })).rejects.toMatchObject({
      name: 'ForbiddenError',
      status: 403,
    })
    await expect(service.nobody(searchAllEvents, { body: {} })).rejects.toMatchObject({
      name: 'AuthenticationError',
      status: 401,
    })
  })
})
