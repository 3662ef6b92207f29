import { describe, expect, test } from 'vitest'
import { KEY, runOps, serve } from '../../test/testing.ts'

const active = {
  workspaceId: 'k3x9w0a1b2c3d4e5',
  suspended: false,
  reason: '',
  suspendedAt: null,
  suspendedBy: null,
}
const suspended = {
  ...active,
  suspended: true,
  reason: 'It floods\u001b a partner.',
  suspendedAt: '2026-11-24T03:44:47.123Z',
  suspendedBy: 'platform',
}
const SUSPENDED =
  'k3x9w0a1b2c3d4e5 is suspended since 2026-11-24 03:44:47Z by platform: It floods  a partner.'

/** A platform with one workspace, and what it was asked. */
async function platformWith(body: object, status = 200) {
  const asked: unknown[] = []
  const server = await serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const text = String(Buffer.concat(chunks))
    asked.push([request.method, request.url, ...(text === '' ? [] : [JSON.parse(text)])])
    const isOurs = request.headers['x-platform-api-key'] === KEY
    response.writeHead(isOurs ? status : 401).end(JSON.stringify(isOurs ? body : { message: 'no' }))
  })
  return { ...server, asked, env: { PORT: server.port, INTERNAL_API_KEY: KEY } }
}

const at = '/v2/platform/workspaces/k3x9w0a1b2c3d4e5/suspension'

describe('ops workspaces', () => {
  test('suspend stops a workspace with a reason, by the internal key', async () => {
    await using platform = await platformWith(suspended)
    const args = ['workspaces', 'suspend', 'k3x9w0a1b2c3d4e5', '--reason', 'It floods a partner.']
    expect(await runOps(args, platform.env)).toEqual({ code: 0, out: SUSPENDED, err: '' })
    expect(platform.asked).toEqual([['PUT', at, { suspended: true, reason: 'It floods a partner.' }]])
  })

  test('suspend without a reason asks for one, and asks the platform nothing', async () => {
    await using platform = await platformWith(suspended)
    const { code, err } = await runOps(['workspaces', 'suspend', 'k3x9w0a1b2c3d4e5'], platform.env)
    expect([code, err]).toEqual([1, expect.stringContaining('--reason <text>')])
    expect(platform.asked).toEqual([])
  })

  test('resume lets it go on', async () => {
    await using platform = await platformWith(active)
    expect(await runOps(['workspaces', 'resume', 'slug:my-shop'], platform.env)).toEqual({
      code: 0,
      out: 'k3x9w0a1b2c3d4e5 is active.',
      err: '',
    })
    expect(platform.asked).toEqual([
      ['PUT', '/v2/platform/workspaces/slug%3Amy-shop/suspension', { suspended: false }],
    ])
  })

  test('suspension shows which it is, for people and for programs', async () => {
    await using platform = await platformWith(suspended)
    const args = ['workspaces', 'suspension', 'k3x9w0a1b2c3d4e5']
    expect(await runOps(args, platform.env)).toEqual({ code: 0, out: SUSPENDED, err: '' })
    expect((await runOps(args, platform.env, true)).out).toContain('\u001b[31msuspended\u001b[0m')
    expect(JSON.parse((await runOps([...args, '--json'], platform.env)).out)).toEqual(suspended)
    expect(platform.asked).toEqual(Array(3).fill(['GET', at]))
  })

  test('says what is wrong: no such workspace, another key', async () => {
    const message = 'There is no such workspace, or you may not see it.'
    await using platform = await platformWith({ error: 'ObjectNotFoundError', message }, 404)
    const args = ['workspaces', 'suspension', 'nothing']
    expect(await runOps(args, platform.env)).toEqual({ code: 1, out: '', err: message })
    const other = { ...platform.env, INTERNAL_API_KEY: 'another-key-of-the-tests-0123456789' }
    expect((await runOps(args, other)).err).toContain('The platform refuses the internal key')
  })
})
