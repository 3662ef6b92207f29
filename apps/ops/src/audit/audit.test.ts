import { describe, expect, test } from 'vitest'
import { KEY, runOps, serve } from '../../test/testing.ts'

const HEAD = 'a'.repeat(64)
const entry = (sequence: number, changes: object = {}) => ({
  sequence,
  at: '2026-01-01T00:00:00.000Z',
  action: 'session.started',
  actor: 'user:ada',
  subject: 'session:1',
  ip: '192.0.2.1',
  correlationId: null,
  details: { provider: 'prismeai' },
  hash: HEAD,
  ...changes,
})

async function platform(status: number, answer: unknown) {
  const asked: (string | undefined)[] = []
  const server = await serve((request, response) => {
    asked.push(request.url)
    response.writeHead(status).end(JSON.stringify(answer))
  })
  return Object.assign(server, { asked, env: { PORT: server.port, INTERNAL_API_KEY: KEY } })
}

describe('ops audit verify', () => {
  test('says that the trail is whole, and which head to note', async () => {
    await using server = await platform(200, { intact: true, entries: 7, head: HEAD, broken: null })
    const { code, out } = await runOps(['audit', 'verify'], server.env)
    expect(code).toBe(0)
    expect(out).toBe(
      `The audit trail is whole: 7 rows.\nNote this head elsewhere, and give it with --head next time:\n${HEAD}`,
    )
    expect(server.asked).toEqual(['/v2/platform/audit/verification'])
  })

  test('names the broken row and ends with 1', async () => {
    const broken = { sequence: 4, reason: 'Row 4 was changed after it was written.' }
    await using server = await platform(200, { intact: false, entries: 3, head: HEAD, broken })
    const { code, out } = await runOps(['audit', 'verify', '--head', HEAD], server.env)
    expect(code).toBe(1)
    expect(out).toBe(
      'The audit trail is broken at row 4. Row 4 was changed after it was written. Rows 1 to 3 are sound.',
    )
    expect(server.asked).toEqual([`/v2/platform/audit/verification?head=${HEAD}`])
  })

  test('says so when the head is no hash', async () => {
    await using server = await platform(400, {
      error: 'RequestValidationError',
      message: 'query.head: must be a SHA-256 in hex',
    })
    const { code, err } = await runOps(['audit', 'verify', '--head', 'x'], server.env)
    expect({ code, err }).toEqual({ code: 1, err: 'query.head: must be a SHA-256 in hex' })
  })
})

describe('ops audit list', () => {
  test('shows the rows as a table; what they hold moves no cursor', async () => {
    const strange = entry(1, {
      action: 'session.refused',
      actor: 'nobody',
      ip: null,
      subject: 'x\u001b[2J\n',
      details: {},
    })
    await using server = await platform(200, [entry(2), strange])
    const args = ['audit', 'list', '--limit', '2', '--action', 'session.started', '--subject', 'session:1']
    const { code, out } = await runOps(args, server.env)
    expect(code).toBe(0)
    expect(out).toMatchInlineSnapshot(`
      "ROW  AT                    ACTION           ACTOR     SUBJECT    IP         DETAILS
      2    2026-01-01 00:00:00Z  session.started  user:ada  session:1  192.0.2.1  {"provider":"prismeai"}
      1    2026-01-01 00:00:00Z  session.refused  nobody    x [2J      -          {}"
    `)
    expect(server.asked).toEqual(['/v2/platform/audit?limit=2&action=session.started&subject=session%3A1'])
    const coloured = await runOps(args, server.env, true)
    expect(coloured.out.replace(/\p{Cc}\[\d+m/gu, '')).toBe(out)
  })

  test('says when there is nothing, and prints JSON when asked to', async () => {
    await using server = await platform(200, [])
    expect((await runOps(['audit', 'list'], server.env)).out).toBe('No row matches.')
    expect((await runOps(['audit', 'list', '--json'], server.env)).out).toBe('[]')
    expect(server.asked).toEqual(['/v2/platform/audit', '/v2/platform/audit'])
  })
})
