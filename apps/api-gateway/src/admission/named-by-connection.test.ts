import { describe, expect, test } from 'vitest'
import { forEach, useEdge } from '../../test/raw-edge.ts'

const edge = useEdge()
const names = [
  'x-platform-user-id',
  'X-Platform-User-Id',
  'x-platform-internal-key',
  'x-platform-session-id',
  'x-platform-client-ip',
  'x-platform-role',
  'x-platform-scope',
  'authorization',
  'x-platform-request-deadline',
  'x-correlation-id',
]
const shapes: ((name: string) => string)[] = [
  (name) => name,
  (name) => `close, ${name}`,
  (name) => `${name}, keep-alive`,
  (name) => `close,${name},${name}`,
  (name) => ` ,, ${name} ,`,
  (name) => `close\r\nConnection: ${name}`,
]
const lines = names.flatMap((name) => shapes.map((shape) => `Connection: ${shape(name)}`))

describe('what a client names as its own connection’s business', () => {
  test('takes no identity away and adds none, in at least 60 forms, whoever asks', {
    timeout: 60_000,
  }, async () => {
    const { gateway, upstream, exchange } = edge()
    expect(lines.length).toBeGreaterThanOrEqual(60)
    const { headers } = await gateway.signIn({ userId: 'bob' })
    const cookie = `Cookie: access-token=${headers.authorization.slice('Bearer '.length)}`
    const callers: [line: string, userId: string | undefined, status: number][] = [
      [`Authorization: ${headers.authorization}`, 'bob', 200],
      [cookie, 'bob', 200],
      ['X-A: b', undefined, 200],
      ['X-Platform-Api-Key: garbage', undefined, 401],
    ]
    const cases = callers.flatMap(([credential, userId, status], caller) =>
      lines.map((line, index) => ({
        credential,
        userId,
        status,
        line,
        path: `/v2/pages/${caller}-${index}`,
      })),
    )
    await forEach(cases, async ({ credential, userId, status, line, path }) => {
      const forged = 'X-Platform-User-Id: root\r\nX-Platform-Role: superAdmin'
      const answer = await exchange(
        `GET ${path} HTTP/1.1\r\nHost: x\r\n${credential}\r\n${line}\r\n${forged}\r\nConnection: close\r\n\r\n`,
      )
      expect(answer.slice(9, 12), `${credential.slice(0, 20)} ${line}`).toBe(String(status))
      const arrived = upstream.seen.filter(({ url }) => url === path)
      expect(arrived.length).toBe(status === 200 ? 1 : 0)
      for (const { headers: seen } of arrived) {
        expect(seen['x-platform-user-id'], line).toBe(userId)
        expect(seen['x-platform-role'], line).not.toBe('superAdmin')
        expect(seen['x-platform-internal-key'], line).toBe(gateway.internalHeaders['x-platform-api-key'])
        expect(seen['x-correlation-id'], line).toMatch(/^[0-9a-f]{32}$/)
      }
    })
  })
})
