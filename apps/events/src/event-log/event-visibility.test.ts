import { randomBytes } from 'node:crypto'
import { type EventRecord, emitEvents, eventStream, listEvents, searchEvents } from '@platform/contracts'
import { newWorkspaceId } from '@platform/kernel'
import { apiKeyStore, grantRules, rulesOf } from '@platform/permissions'
import { apiKeyRecord } from '@platform/permissions/testing'
import { matches, openSearchIndex } from '@platform/search'
import { type TestService, userPrincipal } from '@platform/testing'
import { describe, expect, vi } from 'vitest'
import { openStream } from '../../test/live-fixture.ts'
import { test } from '../../test/service-fixture.ts'
import { storedDocuments } from './append-to-log.ts'
import { visibleTo } from './event-visibility.ts'

const { TEST_SEARCH_URL, REQUIRE_SERVERS } = process.env
if (TEST_SEARCH_URL === undefined) {
  const sentence = 'TEST_SEARCH_URL must name an OpenSearch or Elasticsearch server'
  if (REQUIRE_SERVERS === '1') throw new Error(`${sentence}.`)
  console.warn(`SKIPPED: audiences in a real index; ${sentence} to test them.`)
}

/** Each by its number, from 0. */
const targets: readonly EventRecord['target'][] = [
  undefined,
  {},
  { currentSocket: false },
  { userId: 'eve' },
  { userId: 'bob' },
  { sessionId: 'session-of-eve' },
  { sessionId: 'session-of-bob' },
  { userTopic: 'staff' },
  { userTopic: 'staff', userId: 'eve' },
  { currentSocket: true },
  { userId: '' },
]
const everything = targets.map((_, n) => n)
const forAll = [0, 1, 2]
const forEve = [...forAll, 3, 5, 8]

const hints = targets.map((target, n) => ({
  type: 'hint',
  payload: { n },
  ...(target === undefined ? {} : { target }),
}))

const numbersOf = (events: readonly Record<string, unknown>[]) =>
  events.map(({ payload }) => (payload as { n: number }).n)

type Caller = TestService['nobody']

const feedOf = async (caller: Caller, workspaceId: string, more = {}) =>
  numbersOf(
    (await caller(listEvents, { params: { workspaceId }, query: { sort: 'asc', ...more } })).result.events,
  )

/** Emits every hint as ada and waits until the feed has them. */
async function emitted(service: TestService, workspaceId: string): Promise<EventRecord[]> {
  const ada = service.as({ userId: 'ada' })
  await ada(emitEvents, { params: { workspaceId }, body: { events: hints } })
  return vi.waitFor(async () => {
    const { result } = await ada(listEvents, { params: { workspaceId }, query: { sort: 'asc' } })
    expect(numbersOf(result.events)).toEqual(everything)
    return result.events
  })
}

describe('an event with an audience', () => {
  test('is in the feed of its audience, of owners and of operators only, on full pages', async ({
    service,
    workspaceId,
  }) => {
    await emitted(service, workspaceId)
    const eve = service.as({ userId: 'eve' })
    expect(await feedOf(eve, workspaceId)).toEqual(forEve)
    expect(await feedOf(eve, workspaceId, { limit: '2', page: '1' })).toEqual([2, 3])
    expect(await feedOf(eve, workspaceId, { 'target.userId': 'bob' })).toEqual([])
    const elsewhere = service.as({ userId: 'eve', sessionId: 'another' })
    expect(await feedOf(elsewhere, workspaceId)).toEqual([...forAll, 3, 8])
    expect(await feedOf(service.as({ userId: 'root', superAdmin: true }), workspaceId)).toEqual(everything)
  })

  test('is found and counted for nobody else', async ({ service, workspaceId }) => {
    await emitted(service, workspaceId)
    const found = (userId: string) =>
      service.as({ userId })(searchEvents, {
        params: { workspaceId },
        body: { track_total_hits: true, limit: 100 },
      })
    expect((await found('ada')).total).toBe(everything.length)
    const answer = await found('eve')
    expect(answer.total).toBe(forEve.length)
    expect(numbersOf(answer.documents).toSorted()).toEqual(forEve)
  })

  test('is not for API keys, neither listed nor in any number', async ({ service, workspaceId }) => {
    await emitted(service, workspaceId)
    const asked = [
      { action: 'read', subject: 'events' },
      { action: 'aggregate_search', subject: 'workspaces' },
    ] as const
    const rules = grantRules([...asked], workspaceId, rulesOf({ kind: 'internal' }, undefined))
    const key = apiKeyRecord({ workspaceId, createdBy: 'ada', rules })
    await apiKeyStore(service.database).insert(key, key.id)
    const headers = service.headersOf({ kind: 'apiKey', apiKeyId: key.id })
    const { documents, aggs } = await service.nobody(searchEvents, {
      params: { workspaceId },
      body: { limit: 100, aggs: { types: { terms: { field: 'type' } } } },
      headers,
    })
    expect(numbersOf(documents).toSorted()).toEqual(forAll)
    expect(aggs).toMatchObject({ types: { buckets: [{ key: 'hint', doc_count: forAll.length }] } })
  })

  test('stays visible to whoever emitted it', async ({ service, workspaceId }) => {
    const eve = service.as({ userId: 'eve' })
    await eve(emitEvents, { params: { workspaceId }, body: { events: hints } })
    await vi.waitFor(async () => expect(await feedOf(eve, workspaceId)).toEqual(everything))
  })

  test('is left out where a live stream goes on behind an earlier one', async ({ service, workspaceId }) => {
    const [first] = await emitted(service, workspaceId)
    const headers = {
      ...service.headersOf(userPrincipal({ userId: 'eve' })),
      'last-event-id': first?.id ?? '',
    }
    using stream = await openStream(service.url, workspaceId, headers)
    await service.as({ userId: 'ada' })(emitEvents, {
      params: { workspaceId },
      body: { events: [{ type: 'hint', payload: { n: 99 } }] },
    })
    await vi.waitFor(() => expect(stream.messages.at(-1)?.data.payload.n).toBe(99))
    expect(stream.messages.map(({ data }) => data.payload.n)).toEqual([...forEve.slice(1), 99])
  })

  test.runIf(TEST_SEARCH_URL !== undefined)(
    'is found in an index by those who find it in the log, however much it carries',
    async ({ service, workspaceId }) => {
      const heavy = Object.fromEntries(Array.from({ length: 3500 }, (_, n) => [`k${n}`, n]))
      const records = (await emitted(service, workspaceId)).map((record) => ({
        ...record,
        payload: { ...(record.payload as object), heavy },
      }))
      const stream = eventStream(newWorkspaceId())
      const namespace = `t${randomBytes(6).toString('hex')}`
      await using index = await openSearchIndex(`${TEST_SEARCH_URL}?namespace=${namespace}`, { replicas: 0 })
      await index.initialize()
      await index.add(storedDocuments(records).map((kept, sequence) => ({ ...kept, stream, sequence })))
      await index.refresh(stream)
      const eve = userPrincipal({ userId: 'eve' })

      const filter = visibleTo({ principal: eve, admission: { role: 'editor', by: 'role' } })

      const found = await index.find(stream, { sort: 'asc', limit: 100, filter })

      expect(numbersOf(found)).toEqual(forEve)
      expect(numbersOf(records.filter((record) => matches(filter, record)))).toEqual(forEve)

      const member = { principal: eve, admission: { role: 'editor', by: 'role' }, topics: ['staff'] } as const
      const forMember = visibleTo(member)
      const shown = await index.find(stream, { sort: 'asc', limit: 100, filter: forMember })
      expect(numbersOf(shown)).toEqual([...forAll, 3, 5, 7, 8])
      expect(numbersOf(records.filter((record) => matches(forMember, record)))).toEqual(numbersOf(shown))
      await index.deleteStream(stream)
    },
  )
})
