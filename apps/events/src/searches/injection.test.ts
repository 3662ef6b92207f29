import { EventSearch, listEvents } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { sample, type TestService, userPrincipal } from '@platform/testing'
import { describe, expect } from 'vitest'
import { injectionObjects } from '../../test/injection-objects.ts'
import { injectionStrings as allStrings } from '../../test/injection-strings.ts'
import { newWorkspace, seed } from '../../test/search-requests.ts'
import { test } from '../../test/service-fixture.ts'
import { feedFilter } from '../event-log/event-filter.ts'
import { readSearch } from './read-search.ts'

const CANARY = 'canary-of-another-workspace'
/** Texts of one request: what is no more than a value can be asked for beside others. */
const CHUNK = 40
const scalars = [
  'afterDate',
  'beforeDate',
  'beforeId',
  'afterId',
  'sort',
  'limit',
  'page',
  'appInstanceDepth',
]
const now = new Date()
const injectionStrings = sample(allStrings, 200)

type Body = Record<string, unknown>

const chunks = <T>(items: readonly T[], size = CHUNK): T[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) => items.slice(n * size, n * size + size))

/** As many texts as fit into an address. */
function urlChunks(texts: readonly string[]): string[][] {
  const found: string[][] = [[]]
  let length = 0
  for (const text of texts) {
    length += new URLSearchParams({ 'payload.value': text }).toString().length
    if (length > 6000) found.push([])
    if (length > 6000) length = 0
    found.at(-1)?.push(text)
  }
  return found.flatMap((some) => chunks(some))
}

/** Asks as ada, and remembers every answer that is an error of the server or holds something of another workspace. */
function asker(service: TestService, workspaceId: string) {
  const headers = { ...service.headersOf(userPrincipal()), 'content-type': 'application/json' }
  const wrong: unknown[] = []
  const ask = async (status: number[], path: string, body?: Body): Promise<string> => {
    const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${service.url}/v2/workspaces/${path}`, init)
    const text = await response.text()
    const foreign = [...text.matchAll(/"workspaceId":"(\w+)"/g)].some(([, id]) => id !== workspaceId)
    if (!status.includes(response.status) || foreign || text.includes(CANARY))
      wrong.push({ path: path.slice(0, 500), body, status: response.status, text: text.slice(0, 500) })
    return text
  }
  return { ask, wrong }
}

/** True when a text is taken; anything but a refusal in a sentence is a fault. */
function isTaken(read: () => unknown): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof Failure && error.status === 400) return false
    throw error
  }
}

/** Places of a search, each for several texts at once; most texts are refused at most of them. */
const places: Readonly<Record<string, (texts: readonly string[]) => Body>> = {
  term: (texts) => should(texts, (text) => ({ term: { 'payload.value': text } })),
  terms: (texts) => ({ query: { terms: { type: texts } } }),
  match: (texts) => should(texts, (text) => ({ match: { 'source.userId': text } })),
  words: (texts) => should(texts, (text) => ({ match: { text } })),
  'any words': (texts) => should(texts, (query) => ({ match: { text: { query, operator: 'or' } } })),
  ids: (texts) => ({ query: { ids: { values: texts } } }),
  range: (texts) => should(texts, (text) => ({ range: { 'source.sessionId': { gt: text, lte: text } } })),
  date: (texts) => should(texts, (text) => ({ range: { createdAt: { lt: text } } })),
  prefix: (texts) => should(texts, (text) => ({ prefix: { 'payload.value': text } })),
  wildcard: (texts) => should(texts, (text) => ({ wildcard: { 'payload.value': text } })),
  field: (texts) => should(texts, (text) => ({ term: { [text]: 'x' } })),
  existing: (texts) => should(texts, (field) => ({ exists: { field } })),
  clause: (texts) => should(texts, (text) => ({ [text]: { type: 'x' } })),
  'sort field': (texts) => ({ sort: texts.slice(0, 5).map((text) => ({ [text]: 'asc' })) }),
  'sort order': (texts) => ({ sort: texts.slice(0, 5).map((text) => ({ createdAt: text })) }),
  source: (texts) => ({ source: texts }),
  'aggregated field': (texts) => ({ aggs: byNumber(texts, (field) => ({ terms: { field } })) }),
  'aggregation name': (texts) => ({
    aggs: Object.fromEntries(texts.map((text) => [text, { cardinality: { field: 'type' } }])),
  }),
  'aggregation kind': (texts) => ({ aggs: byNumber(texts, (text) => ({ [text]: { field: 'type' } })) }),
  zone: (texts) => ({ aggs: byNumber(texts, (zone) => days({ calendar_interval: 'day', time_zone: zone })) }),
  interval: (texts) => ({ aggs: byNumber(texts, (text) => days({ calendar_interval: text })) }),
  span: (texts) => ({ aggs: byNumber(texts, (text) => days({ fixed_interval: text })) }),
  after: (texts) => ({
    aggs: byNumber(texts, (s) => ({
      composite: { sources: [{ s: { terms: { field: 'type' } } }], after: { s } },
    })),
  }),
  'source name': (texts) => ({
    aggs: byNumber(texts, (text) => ({ composite: { sources: [{ [text]: { terms: { field: 'type' } } }] } })),
  }),
  'filter name': (texts) => ({
    aggs: { a: { filters: { filters: Object.fromEntries(texts.map((text) => [text, { match_all: {} }])) } } },
  }),
  mapping: (texts) => ({ runtime_mappings: Object.fromEntries(texts.map((text) => [text, {}])) }),
}
const should = (texts: readonly string[], clause: (text: string) => Body): Body => ({
  query: { bool: { should: texts.map(clause) } },
})
const byNumber = (texts: readonly string[], aggregation: (text: string) => Body): Body =>
  Object.fromEntries(texts.map((text, n) => [`a${n}`, aggregation(text)]))
const days = (interval: Body): Body => ({ date_histogram: { field: 'createdAt', ...interval } })

describe('injection', () => {
  test(`${injectionStrings.length} texts in every parameter of the feed are values, or refused`, async ({
    service,
    workspaceId,
  }) => {
    expect(allStrings.length).toBeGreaterThanOrEqual(1550)
    await seed(service, await newWorkspace(service, 'bob'), [{ type: 'own', payload: { value: CANARY } }])
    await seed(
      service,
      workspaceId,
      injectionStrings.map((value) => ({ type: 'own', payload: { value } })),
    )
    const { ask, wrong } = asker(service, workspaceId)
    const feed = (entries: [string, string][]) => `${workspaceId}/events?${new URLSearchParams(entries)}`
    const plain = injectionStrings.filter((text) => text !== '' && !text.includes('*'))
    for (const texts of urlChunks(plain)) {
      const entries = texts.map((text): [string, string] => ['payload.value', text])
      const { result } = JSON.parse(await ask([200], feed([...entries, ['limit', '100']])))
      const found = result.events.map(({ payload }: { payload: { value: string } }) => payload.value)
      expect(found.sort()).toEqual([...texts].sort())
    }
    for (const texts of urlChunks(injectionStrings)) {
      const [first = ''] = texts
      const all = (name: string) => texts.map((text): [string, string] => [name, text])
      await ask(
        [200, 400],
        feed([
          ['text', texts.join(' ').slice(0, 500)],
          ['correlationId', first.slice(0, 64)],
        ]),
      )
      await ask([200, 400], feed([['types', texts.join(',').slice(0, 2000)]]))
      await ask([200, 400], feed(all('source.userId')))
      await ask([200, 400], feed(all('type')))
    }
    const named = injectionStrings.filter((text) => isTaken(() => feedFilter({ [text]: 'x' })))
    for (const names of urlChunks(named)) await ask([200, 400], feed(names.map((name) => [name, 'x'])))
    for (const text of injectionStrings) {
      const issues = listEvents.query?.safeParse(Object.fromEntries(scalars.map((name) => [name, text])))
        .error?.issues
      const refused = issues?.map(({ path }) => path[0]) ?? []
      if (!/^\d{1,3}$/.test(text)) expect([text, ...refused].sort()).toEqual([text, ...scalars].sort())
    }
    for (const text of injectionStrings.filter((_, n) => n % CHUNK === 0))
      await ask([400], feed(scalars.map((name) => [name, text])))
    expect(wrong).toEqual([])
  }, 60_000)

  test(`${injectionStrings.length} texts in every place of a search are values, or refused`, async ({
    service,
    workspaceId,
  }) => {
    await seed(service, await newWorkspace(service, 'bob'), [{ type: 'own', payload: { value: CANARY } }])
    await seed(service, workspaceId, [{ type: 'own', payload: { value: 'own' } }])
    const { ask, wrong } = asker(service, workspaceId)
    const taken: Record<string, number> = {}
    for (const [name, place] of Object.entries(places)) {
      const texts = injectionStrings.filter((text) =>
        isTaken(() => readSearch(EventSearch.parse(place([text])), now)),
      )
      taken[name] = texts.length
      const size = name.startsWith('sort') ? 5 : CHUNK
      for (const some of chunks(texts, size)) await ask([200, 400], `${workspaceId}/search`, place(some))
      const refused = injectionStrings.find((text) => !texts.includes(text))
      if (refused !== undefined) await ask([400], `${workspaceId}/search`, place([refused]))
    }
    expect(taken).toMatchObject({
      term: injectionStrings.length,
      clause: 0,
      'sort order': 0,
      zone: 0,
      interval: 0,
    })
    expect(wrong).toEqual([])
  }, 60_000)

  test('200 objects that no search takes are refused', async ({ service, workspaceId }) => {
    expect(injectionObjects.length).toBeGreaterThanOrEqual(200)
    await seed(service, await newWorkspace(service, 'bob'), [{ type: 'own', payload: { value: CANARY } }])
    const { ask, wrong } = asker(service, workspaceId)
    for (const bodies of chunks(injectionObjects, 8))
      await Promise.all(bodies.map((body) => ask([400], `${workspaceId}/search`, body)))
    expect(wrong).toEqual([])
  }, 60_000)

  test.for([
    'events-*',
    '*',
    '%2A',
    'a,b',
    '-x',
    '_all',
    '..%2f..',
    '%00',
    'slug:*',
    'slug:%25',
    "x'--",
    '.',
    '$%7B7%7D',
  ])('the workspace %s does not exist', async (address, { service, workspaceId }) => {
    const { ask, wrong } = asker(service, workspaceId)
    await ask([400, 404], `${address}/events`)
    await ask([400, 404], `${address}/search`, {})
    expect(wrong).toEqual([])
  })
})
