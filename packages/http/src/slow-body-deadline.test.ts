import { endpoint } from '@platform/contracts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { openSocket, raw, startTestServer } from '../test/testing.ts'
import { type RequestInfo, route } from './index.ts'

const base = {
  summary: '',
  service: 'events',
  credential: 'none',
  method: 'post',
  failures: [],
  response: z.unknown(),
} as const
const left = ({ request }: { request: RequestInfo }) => ({
  leftMs: request.deadlineAt - Date.now(),
  isAborted: request.signal.aborted,
})
const json = endpoint({ ...base, id: 'json', path: '/json', body: z.strictObject({ name: z.string() }) })
const bytes = endpoint({ ...base, id: 'bytes', path: '/bytes', bodyKind: 'bytes', body: z.unknown() })

let server: Awaited<ReturnType<typeof startTestServer>>
beforeAll(async () => {
  server = await startTestServer([
    route(json, { handle: async (input) => left(input) }),
    // One that looks at its signal before the body comes gets another one for the work behind it.
    route(bytes, {
      admit: async (input) => left(input),
      handle: async (input) => left(input),
    }),
  ])
})
afterAll(() => server[Symbol.asyncDispose]())

test.each(['/json', '/bytes'])(
  'the time a body takes is not that of the work behind it: %s',
  async (path) => {
    const body = '{"name":"a"}'
    const allowedMs = 300
    using connection = await openSocket(server.port)
    const headers = [
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      `X-Platform-Request-Deadline: ${Date.now() + allowedMs}`,
      '',
    ].join('\r\n')
    connection.send(raw(`POST ${path}`, headers, body.slice(0, 5)))
    setTimeout(() => connection.send(body.slice(5)), 2 * allowedMs)
    const answer = await connection.answer()
    const { leftMs, isAborted } = JSON.parse(answer?.body ?? '{}')
    expect([answer?.status, isAborted]).toEqual([200, false])
    expect(leftMs).toBeGreaterThan(0)
    expect(leftMs).toBeLessThanOrEqual(allowedMs)
  },
)
