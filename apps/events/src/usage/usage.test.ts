import { describe, expect, test } from 'vitest'
import { figureOf, tally as tallyGroups } from './usage.ts'

const run = (kind: string, source = {}, createdAt = '2026-05-04T23:59:59.999Z') => ({
  type: 'runtime.automations.executed',
  createdAt,
  source: { workspaceId: 'w', ...source },
  payload: { trigger: { type: kind } },
})
const report = (metrics: unknown, source = {}) => ({
  type: 'usage',
  createdAt: '2026-05-04T10:00:00.000Z',
  source: { workspaceId: 'w', appSlug: 'crawler', appInstanceFullSlug: 'a.crawler', ...source },
  payload: { metrics },
})
const each = (document: Record<string, unknown>) => ({ count: 1, document })
const tally = (documents: readonly Record<string, unknown>[]) => tallyGroups(documents.map(each))
const place = { workspaceId: 'w', day: '2026-05-04' }

describe('counting usage', () => {
  test('counts runs by what started them, and who was behind them once', () => {
    const ada = { userId: 'ada', sessionId: 's1' }
    const counted = tally([
      run('endpoint', ada),
      run('endpoint', ada),
      run('event'),
      run('schedule'),
      run('automation', { userId: 'eve' }),
    ])
    expect(counted.transactions).toEqual([
      { ...place, kind: 'endpoint', count: 2 },
      { ...place, kind: 'event', count: 1 },
      { ...place, kind: 'schedule', count: 1 },
    ])
    expect(counted.visitors).toEqual([
      { ...place, kind: 'session', visitor: 's1' },
      { ...place, kind: 'user', visitor: 'ada' },
    ])
  })

  test('counts as many runs as are alike', () => {
    const { transactions, visitors } = tallyGroups([
      { count: 400, document: run('endpoint', { userId: 'ada' }) },
      { count: 7, document: run('endpoint', { userId: 'bob' }) },
      { count: 30, document: run('automation') },
      { count: 2, document: run('endpoint', {}, '2026-05-05') },
    ])
    expect(transactions).toEqual([
      { ...place, kind: 'endpoint', count: 407 },
      { ...place, day: '2026-05-05', kind: 'endpoint', count: 2 },
    ])
    expect(visitors.map(({ visitor }) => visitor)).toEqual(['ada', 'bob'])
  })

  test('takes no name and no figure that a store would refuse', () => {
    const counted = tally([
      report({
        huge: { value: 1e308 },
        [`${'m'.repeat(199)}😀`]: { value: 1 },
        'a\0b': { value: 2 },
      }),
    ])
    expect(counted.metrics.map(({ metric }) => metric)).toEqual([`${'m'.repeat(199)}\uFFFD`, 'a\uFFFDb'])
  })

  test('adds and sets the figures of apps in the order of their reports', () => {
    const increment = (value: number) => report({ pages: { value, action: 'increment' } })
    const set = (value: number) => report({ pages: { value, action: 'set' } })
    const of = (...reports: ReturnType<typeof report>[]) => tally(reports).metrics[0]
    const metric = { ...place, app: 'crawler', instance: 'a.crawler', metric: 'pages' }
    expect(of(increment(2), increment(3))).toEqual({ ...metric, base: null, added: 5 })
    expect(of(increment(2), set(10), increment(1))).toEqual({ ...metric, base: 10, added: 1 })
    expect(of(set(10), set(4))).toEqual({ ...metric, base: 4, added: 0 })
  })

  test.for([
    [{}],
    [{ type: 'usage', createdAt: 'x', source: null }],
    [{ ...run('endpoint'), createdAt: 5 }],
    [{ ...run('endpoint'), payload: { truncated: true } }],
    [{ ...run('endpoint'), payload: null }],
    [run('magic')],
    [{ ...run('endpoint'), source: {} }],
    [{ ...run('endpoint'), type: 'order.placed' }],
    [report(null)],
    [report({ pages: 5 })],
    [report({ pages: { value: '5', action: 'set' } })],
    [report({ '': { value: 5, action: 'set' } })],
  ] as [Record<string, unknown>][])('counts nothing of %j', ([document]) => {
    expect(tally([document])).toEqual({ transactions: [], visitors: [], metrics: [] })
  })

  test('a figure over days is what was set last and what was added since', () => {
    expect(figureOf([])).toBe(0)
    expect(
      figureOf([
        { base: null, added: 2 },
        { base: null, added: 3 },
      ]),
    ).toBe(5)
    expect(
      figureOf([
        { base: null, added: 2 },
        { base: 10, added: 1 },
        { base: null, added: 4 },
      ]),
    ).toBe(15)
  })
})
