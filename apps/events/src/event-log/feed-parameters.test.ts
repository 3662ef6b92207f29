import { type EventRecord, listEvents } from '@platform/contracts'
import type { TestService } from '@platform/testing'
import { describe, expect } from 'vitest'
import { type SeededEvent, seed } from '../../test/search-requests.ts'
import { test } from '../../test/service-fixture.ts'

const from = (source: NonNullable<SeededEvent['source']>) => ({ type: 'said', source })
const events: SeededEvent[] = [
  {
    type: 'order.placed',
    createdAt: '2026-05-01T10:00:00.000Z',
    payload: { city: 'Lyon', tags: ['a', 'b'] },
  },
  { type: 'order.paid', createdAt: '2026-05-02T00:00:00.000Z', payload: { city: 'Lille', ok: true } },
  { type: 'order.sent', createdAt: '2026-05-03T10:00:00.000Z', payload: { city: 'Köln', 'dotted.key': 'x' } },
  { ...from({ appSlug: 'crawler', appInstanceDepth: 1 }), payload: { städte: 'Bern' } },
  { ...from({ appSlug: 'parser', appInstanceDepth: 2 }), payload: {} },
  { ...from({ appSlug: 'deep', appInstanceDepth: 3, correlationId: 'trace-7' }), payload: {} },
  {
    ...from({ userId: 'bob', automationSlug: 'greet', correlationId: 'trace-7' }),
    payload: { text: 'Hello, wörld' },
  },
]

type Query = Record<string, string | string[]>
const read = async (service: TestService, workspaceId: string, query: Query): Promise<EventRecord[]> => {
  const answer = await service.as({ userId: 'ada' })(listEvents, {
    params: { workspaceId },
    query: query as never,
  })
  return answer.result.events
}

describe('the parameters of the feed', () => {
  test.for([
    ['nothing hides what apps inside of apps say', {}, [6, 3, 2, 1, 0]],
    ['a depth of the workspace alone', { appInstanceDepth: '0' }, [6, 2, 1, 0]],
    ['a depth that is deep', { appInstanceDepth: '2' }, [6, 4, 3, 2, 1, 0]],
    ['a depth by its path is just that one', { 'source.appInstanceDepth': '3' }, [5]],
    ['no depth, by its path', { 'source.appInstanceDepth': '' }, [6, 2, 1, 0]],
    ['several types', { types: 'order.sent, order.paid,,nothing' }, [2, 1]],
    ['types that are exact', { types: 'order' }, []],
    ['no type named', { types: '' }, [6, 3, 2, 1, 0]],
    ['a pattern of types', { types: 'order.p*' }, [1, 0]],
    ['patterns of types and names', { types: '*.sent,said' }, [6, 3, 2]],
    ['paths in one parameter', { query: '{"payload.city":["L*n","Köln"],"type":"order.*"}' }, [2, 0]],
    ['values that are no texts there', { query: '{"payload.ok":true,"payload.gone":null}' }, [1]],
    ['a depth there', { query: '{"source.appInstanceDepth":3}' }, [5]],
    ['paths there and beside', { query: '{"payload.city":"L*"}', 'payload.ok': 'true' }, [1]],
    ['a type by its path', { type: 'order.*' }, [2, 1, 0]],
    ['words of the text', { text: 'HELLO wör' }, [6]],
    ['a key as a word', { text: 'city köln' }, [2]],
    ['text of nothing but signs', { text: ' ' }, [6, 3, 2, 1, 0]],
    ['after a date, exclusively', { afterDate: '2026-05-02', beforeDate: '2026-05-04' }, [2]],
    ['before a date, exclusively', { beforeDate: '2026-05-02T02:00:00+02:00' }, [0]],
    ['a correlation', { correlationId: 'trace-7' }, [6]],
    ['a correlation in the depth', { correlationId: 'trace-7', appInstanceDepth: '9' }, [6, 5]],
    ['a repeated path', { 'payload.city': ['Lyon', 'Köln'] }, [2, 0]],
    ['values and wildcards', { 'payload.city': ['L*n', 'Köln'] }, [2, 0]],
    ['a wildcard at the front', { 'payload.city': '*l*e' }, [1]],
    ['something or nothing', { 'payload.city': ['Lyon', ''] }, [6, 3, 0]],
    ['a boolean', { 'payload.ok': 'true' }, [1]],
    ['an element of a list', { 'payload.tags': 'b' }, [0]],
    ['a key with a dot', { 'payload.dotted\\.key': 'x' }, [2]],
    ['a key in letters beyond ASCII', { 'payload.städte': 'Bern' }, [3]],
    ['a field of the source', { 'source.automationSlug': 'gre*' }, [6]],
    ['several paths', { 'payload.city': 'L*', type: '*.paid' }, [1]],
  ] as [string, Query, number[]][])(
    '%s: %j finds %j',
    async ([, query, expected], { service, workspaceId }) => {
      const ids = await seed(service, workspaceId, events)
      const found = await read(service, workspaceId, query)
      expect(found.map(({ id }) => ids.indexOf(id))).toEqual(expected)
    },
  )

  test.for([
    [{ page: '200' }, 'Pages reach 10000 events deep: go on by beforeId'],
    [{ 'payload.x': `a${'*b'.repeat(11)}` }, 'more than 10 wildcards'],
    [{ types: `a${'*b'.repeat(11)}` }, 'more than 10 wildcards'],
    [{ query: 'city=Lyon' }, 'The query parameter "query" must be a JSON object of paths and values'],
    [{ query: '["payload.city"]' }, 'must be a JSON object of paths and values'],
    [{ query: '{"payload.city":{"name":"Lyon"}}' }, 'must be a JSON object of paths and values'],
    [{ query: '{"colour":"red"}' }, 'The query parameter "colour" is neither known nor a path'],
    [{ colour: 'red' }, 'The query parameter "colour" is neither known nor a path such as payload.order.'],
    [{ 'payload.': 'x' }, 'neither known nor a path'],
    [{ 'payload.*': 'x' }, 'neither known nor a path'],
    [{ afterDate: 'soon' }, 'query.afterDate: must be a date such as 2026-01-31'],
    [{ beforeId: 'x' }, 'query.beforeId: must be the id of an event.'],
    [{ sort: 'up' }, 'query.sort: must be asc or desc.'],
    [{ appInstanceDepth: '-1' }, 'query.appInstanceDepth: must be a whole number.'],
    [{ limit: '101' }, 'query.limit: must be at most 100.'],
  ] as [Query, string][])(
    '%j is refused with a sentence',
    async ([query, sentence], { service, workspaceId }) => {
      await expect(read(service, workspaceId, query)).rejects.toMatchObject({
        status: 400,
        message: expect.stringContaining(sentence),
      })
    },
  )
})

describe('the pages of the feed', () => {
  const numbered = (first: number, count: number): SeededEvent[] =>
    Array.from({ length: count }, (_, n) => ({ type: 'numbered', payload: { n: first + n } }))

  test.for(['desc', 'asc'] as const)(
    'name the next one, and show each event once (%s)',
    async (sort, { service, workspaceId }) => {
      await seed(service, workspaceId, numbered(0, 10))
      const headers = service.headersOf({ kind: 'internal' })
      const shown: unknown[] = []
      let path: string | undefined =
        `/v2/workspaces/${workspaceId}/events?limit=4&sort=${sort}&types=numbered&page=0`
      for (let round = 0; path !== undefined && round < 9; round += 1) {
        const answer: Response = await fetch(service.url + path, { headers })
        const { result } = (await answer.json()) as { result: { events: EventRecord[] } }
        shown.push(...result.events.map(({ payload }) => (payload as { n: number }).n))
        path = /^<(.+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')?.[1]
        // Newer events come meanwhile: going back, nobody sees them, going on, everybody does.
        if (round < 2) await seed(service, workspaceId, numbered(100 + round, 1))
      }
      const expected = Array.from({ length: 10 }, (_, n) => n)
      expect(shown).toEqual(sort === 'desc' ? expected.reverse() : [...expected, 100, 101])
    },
  )

  test('are stable while others write', async ({ service, workspaceId }) => {
    await seed(service, workspaceId, numbered(0, 60))
    let isOver = false
    const writer = (async () => {
      for (let n = 1000; !isOver; n += 2) await seed(service, workspaceId, numbered(n, 2))
    })()
    const shown: number[] = []
    let beforeId: string | undefined
    do {
      const query: Query = { limit: '7', ...(beforeId === undefined ? {} : { beforeId }) }
      const page = await read(service, workspaceId, query)
      shown.push(...page.map(({ payload }) => (payload as { n: number }).n))
      beforeId = page.at(-1)?.id
    } while (beforeId !== undefined)
    isOver = true
    await writer
    expect(new Set(shown).size).toBe(shown.length)
    expect(shown.filter((n) => n < 1000)).toEqual(Array.from({ length: 60 }, (_, n) => 59 - n))
  })
})
