import { describe, expect, test } from 'vitest'
import { KEY, runOps, serve } from '../../test/testing.ts'

const well = {
  driver: 'opensearch',
  stage: 'ready',
  answeredBy: 'index',
  progress: { copied: 1200, total: 1200 },
  startedAt: '2026-01-01T00:00:00.000Z',
  finishedAt: '2026-01-01T00:01:00.000Z',
  behind: { events: 0, seconds: 0 },
  rebuilding: [],
  shards: { used: 42, max: 1000 },
  deadLetters: 1,
}
const none = { ...well, driver: 'postgres', stage: 'none', answeredBy: 'log', progress: null, behind: null }

/** Answers one after the other, the last one again and again. */
async function platform(...answers: [number, unknown][]) {
  const asked: string[] = []
  const server = await serve(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    asked.push(`${request.method} ${request.url}${body === '' ? '' : ` ${body}`}`)
    const [status, answer] = answers.length > 1 ? (answers.shift() ?? [500, {}]) : (answers[0] ?? [500, {}])
    response.writeHead(status).end(JSON.stringify(answer))
  })
  return Object.assign(server, { asked, env: { PORT: server.port, INTERNAL_API_KEY: KEY } })
}

describe('ops events index', () => {
  test('shows how the index stands to the log', async () => {
    await using server = await platform([200, well])
    const { code, out } = await runOps(['events', 'index'], server.env)
    expect(code).toBe(0)
    expect(out).toMatchInlineSnapshot(`
      "index       opensearch
      stage       ready
      answers     the index
      built       2026-01-01 00:00:00Z to 2026-01-01 00:01:00Z
      copied      1200 events
      behind      0 events, 0 s
      rebuilding  -
      shards      42 of 1000
      refused     1 event"
    `)
    expect(server.asked).toEqual(['GET /v2/platform/events/index'])
  })

  test('ends with 1 while the log must answer, with 0 where there is nothing else', async () => {
    await using building = await platform([
      200,
      { ...well, stage: 'building', answeredBy: 'log', shards: null },
    ])
    expect((await runOps(['events', 'index'], building.env)).code).toBe(1)
    await using without = await platform([200, none])
    const { code, out } = await runOps(['events', 'index'], without.env)
    expect([code, out]).toEqual([0, 'There is no search index: the log in PostgreSQL is searched itself.'])
  })
})

describe('ops events reindex', () => {
  test('shows a bar that grows until the index is built', async () => {
    const step = (stage: string, copied: number) => ({ ...well, stage, progress: { copied, total: 1200 } })
    await using server = await platform(
      [200, step('emptying', 0)],
      [200, step('building', 600)],
      [200, step('building', 600)],
      [200, step('comparing', 1200)],
      [200, well],
    )
    const { code, out } = await runOps(['events', 'reindex'], server.env)
    expect(code).toBe(0)
    expect(out).toMatchInlineSnapshot(`
      "[..............................]   0 % emptying, 0 events
      [###############...............]  50 % building, 600 events
      [##############################] 100 % comparing, 1200 events
      The index is built: 1200 events."
    `)
    expect(server.asked.slice(0, 2)).toEqual([
      'POST /v2/platform/events/reindex',
      'GET /v2/platform/events/index',
    ])
  })

  test('waits for one workspace only', async () => {
    const rebuilding = [{ stream: 'events-w1', copied: 1 }]
    await using server = await platform([200, { ...well, rebuilding }], [200, well])
    const { code, out } = await runOps(['events', 'reindex', '--workspace', 'w1'], server.env)
    expect(code).toBe(0)
    expect(out).toBe('building the events of w1: 1 event\nThe events of w1 are in the index again.')
    expect(server.asked[0]).toBe('POST /v2/platform/events/reindex?workspace=w1')
  })

  test('does not wait when told so, and says what is wrong', async () => {
    await using server = await platform([200, { ...well, stage: 'emptying' }])
    const { out } = await runOps(['events', 'reindex', '--no-wait'], server.env)
    expect(out).toContain('"ops events index"')
    const message = 'There is no search index to build.'
    await using without = await platform([400, { error: 'InvalidArgumentsError', message }])
    const { code, err } = await runOps(['events', 'reindex'], without.env)
    expect([code, err]).toEqual([1, message])
  })
})

describe('ops events dead-letters and replay', () => {
  const letter = {
    group: 'index',
    eventId: 'e1',
    type: 'order\u001b[2J',
    workspaceId: 'w1',
    reason: 'Error: no',
    at: '2026-01-01T00:00:00.000Z',
    replaying: false,
  }

  test('lists all pages; what they hold moves no cursor', async () => {
    await using server = await platform(
      [200, { deadLetters: [letter], next: 7 }],
      [
        200,
        {
          deadLetters: [{ ...letter, eventId: 'e2', type: null, workspaceId: null, replaying: true }],
          next: null,
        },
      ],
    )
    const { code, out } = await runOps(['events', 'dead-letters', '--group', 'index'], server.env)
    expect(code).toBe(1)
    expect(out).toMatchInlineSnapshot(`
      "GROUP  EVENT  TYPE       WORKSPACE  AT                    REASON
      index  e1     order [2J  w1         2026-01-01 00:00:00Z  Error: no
      index  e2     -          -          2026-01-01 00:00:00Z  Error: no (is tried again)"
    `)
    expect(server.asked[1]).toBe('GET /v2/platform/events/dead-letters?limit=200&group=index&after=7')
  })

  test('says when there are none', async () => {
    await using server = await platform([200, { deadLetters: [], next: null }])
    const { code, out } = await runOps(['events', 'dead-letters'], server.env)
    expect([code, out]).toEqual([0, 'Nothing was given up.'])
  })

  test('replays one or all', async () => {
    await using server = await platform([200, { replayed: 3 }], [200, { replayed: 1 }])
    expect((await runOps(['events', 'replay', 'index'], server.env)).out).toBe(
      'The group index handles 3 events again.',
    )
    expect((await runOps(['events', 'replay', 'index', 'e1'], server.env)).out).toContain('1 event again')
    expect(server.asked).toEqual([
      'POST /v2/platform/events/dead-letters/replay {"group":"index"}',
      'POST /v2/platform/events/dead-letters/replay {"group":"index","eventId":"e1"}',
    ])
  })
})
