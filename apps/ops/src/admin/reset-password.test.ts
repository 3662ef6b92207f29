import { describe, expect, test } from 'vitest'
import { KEY, runOps, serve } from '../../test/testing.ts'

const platform = (status: number, answer: unknown) => {
  const asked: unknown[] = []
  return serve(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    asked.push(
      request.method,
      request.url,
      request.headers['x-platform-api-key'],
      JSON.parse(String(Buffer.concat(chunks))),
    )
    response.writeHead(status).end(JSON.stringify(answer))
  }).then((server) => Object.assign(server, { asked }))
}

describe('ops admin reset-password', () => {
  test('prints the new password once', async () => {
    await using server = await platform(200, {
      userId: 'u1',
      email: 'ada@example.com',
      password: 'a-new-password',
    })
    const { code, out } = await runOps(['admin', 'reset-password', 'ada@example.com'], {
      PORT: server.port,
      INTERNAL_API_KEY: KEY,
    })
    expect(code).toBe(0)
    expect(out).toBe(
      [
        'ada@example.com has a new password, and all its sessions have ended:',
        '',
        '  a-new-password',
        '',
        'It is shown only now: keep it, or change it after signing in.',
      ].join('\n'),
    )
    expect(server.asked).toEqual([
      'POST',
      '/v2/platform/users/password-reset',
      KEY,
      { email: 'ada@example.com' },
    ])
  })

  test('says so when there is no such account', async () => {
    await using server = await platform(404, {
      error: 'ObjectNotFoundError',
      message: 'There is no account with this address.',
    })
    expect(
      await runOps(['admin', 'reset-password', 'x@example.com'], {
        PORT: server.port,
        INTERNAL_API_KEY: KEY,
      }),
    ).toEqual({
      code: 1,
      out: '',
      err: 'There is no account with this address.',
    })
  })
})
