import { uuidv7 } from '@platform/kernel'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  asked,
  by,
  combinationsOf,
  metricOf,
  spansOf,
  termsOf,
  valuesOf,
  within,
} from '../../test/conformance/case-notation.ts'
import { type Aggregation, type Aggregations, BUCKETS_MAX, DISTINCT_MAX } from '../aggregation.ts'
import type { Log } from '../log.ts'
import { openLog } from './open-log.ts'

describe('the limits of an analysis', () => {
  let database: TestDatabase
  let log: Log
  const stream = 'events-many'
  const values = DISTINCT_MAX + 1
  beforeAll(async () => {
    database = await testDatabase()
    log = await openLog(database)
    const list = Array.from({ length: values }, (_, number) => `v${number}`)
    const halves = [list.slice(0, values / 2), list.slice(values / 2)]
    await log.append(
      halves.map((half, index) => ({
        stream,
        id: uuidv7(),
        document: {
          type: 'many',
          createdAt: `20${index}0-01-01T00:00:00.000Z`,
          payload: { half, few: half.slice(0, 300) },
        },
      })),
    )
  })
  afterAll(() => database[Symbol.asyncDispose]())

  const analyse = (aggregations: Aggregations, more = {}) => log.analyse(stream, asked(aggregations, more))

  it.each<readonly [string, Aggregation]>([
    ['different values', valuesOf('payload.half')],
    ['empty spans between', spansOf('createdAt', { calendar: 'hour' }, 0)],
    ['empty fixed spans between', spansOf('createdAt', { fixedMs: 1000 }, 0)],
    ['buckets within buckets', within(termsOf('payload.few', 1000), { again: termsOf('payload.few', 1000) })],
  ])('too many %s are refused', async (_, aggregation) => {
    await expect(analyse({ it: aggregation })).rejects.toMatchObject({
      code: 'TOO_MANY_VALUES',
      unavailable: false,
    })
  })

  it('the most values that are told apart are', async () => {
    const filter = { path: 'createdAt', above: '2005' }
    const { aggregations } = await analyse({ it: valuesOf('payload.half') }, { filter })
    expect(aggregations).toEqual({ it: { value: Math.ceil(values / 2) } })
    expect(BUCKETS_MAX).toBeGreaterThan(DISTINCT_MAX)
  })

  it.each<readonly [string, Aggregations, object]>([
    ['six levels', sixLevels(), {}],
    [
      'an unknown time zone',
      { it: spansOf('createdAt', { calendar: 'day', timeZone: 'Europe/Nowhere' }) },
      {},
    ],
    ['an interval of no length', { it: spansOf('createdAt', { fixedMs: 0 }) }, {}],
    ['a page after nothing', { it: combinationsOf([by('a', 'type')], 5, { b: 'x' }) }, {}],
    ['documents deeper than 10,000', {}, { limit: 10, offset: 9_991 }],
  ])('%s is refused with a sentence', async (_, aggregations, more) => {
    await expect(analyse(aggregations, more)).rejects.toMatchObject({
      name: 'SearchError',
      code: 'UNSUPPORTED',
      unavailable: false,
      message: expect.stringMatching(/^[A-Z"].+\.$/),
    })
  })

  it('names of aggregations and filters are anything', async () => {
    const odd = 'a\0b\'"; drop table search.documents; --'
    const { aggregations } = await analyse({ [odd]: { filters: { [odd]: { path: odd, missing: true } } } })
    expect(aggregations).toEqual({ [odd]: { filters: { [odd]: { count: 2 } } } })
    const after = await analyse({ it: combinationsOf([by(odd, 'type')], 5, { [odd]: `a\0\ud800` }) })
    expect(after.aggregations).toMatchObject({ it: { composite: [{ key: { [odd]: 'many' }, count: 2 }] } })
  })

  it('all streams are analysed at once', async () => {
    await log.append([
      { stream: 'events-other', id: uuidv7(), document: { type: 'other', payload: { n: 4 } } },
    ])
    const query = asked(
      { n: metricOf('sum', 'payload.n'), types: termsOf('type') },
      { countAll: true, limit: 1 },
    )
    const { aggregations, total, documents } = await log.analyse(undefined, query)
    expect(total).toBe(3)
    expect(aggregations).toMatchObject({
      n: { value: 4 },
      types: { buckets: [{ key: 'many' }, { key: 'other' }] },
    })
    expect(documents).toMatchObject([{ type: 'other' }])
  })
})

function sixLevels(): Aggregations {
  let aggregation: Aggregation = termsOf('type')
  for (let level = 0; level < 5; level += 1) aggregation = within(termsOf('type'), { it: aggregation })
  return { it: aggregation }
}
