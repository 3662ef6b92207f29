import { describe, expect, test } from 'vitest'
import { KEY, runOps, serve } from '../../test/testing.ts'

const args = ['users', 'create', 'grace@example.com', '--first-name', 'Grace', '--last-name', 'Hopper']

describe('ops users create', () => {
  test('makes an account with the internal key, and prints its password', async () => {
    const asked: unknown[] = []
    await using platform = await serve(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      asked.push(request.method, request.url, request.headers['x-platform-api-key'])
      asked.push(JSON.parse(String(Buffer.concat(chunks))))
      const user = { id: 'u1', email: 'grace@example.com', status: 'validated', authData: {} }
      response.end(
        JSON.stringify({ user: { ...user, createdAt: '2026-11-23T05:00:00.000Z' }, password: 'shown-once' }),
      )
    })
    const { code, out } = await runOps(args, { PORT: platform.port, INTERNAL_API_KEY: KEY })
    expect([code, out.split('\n').slice(0, 3)]).toEqual([
      0,
      ['grace@example.com has an account, with the password', '', '  shown-once'],
    ])
    const body = { email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper' }
    expect(asked).toEqual(['POST', '/v2/platform/users', KEY, body])
  })

  test('says why there is none', async () => {
    const message = 'Another account has this e-mail address: choose another one.'
    await using platform = await serve((_, response) => {
      response.writeHead(400).end(JSON.stringify({ error: 'AlreadyUsed', message }))
    })
    const env = { PORT: platform.port, INTERNAL_API_KEY: KEY }
    expect(await runOps(args, env)).toEqual({ code: 1, out: '', err: message })
  })
})
