import { endpoint } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { jsonCases } from '../test/json-cases.ts'
import { credentials, startTestServer } from '../test/testing.ts'
import { route } from './index.ts'

const echo = endpoint({
  id: 'echo',
  summary: 'Answers what it was sent.',
  service: 'events',
  credential: 'none',
  method: 'post',
  path: '/echo',
  body: z.strictObject({ value: z.unknown() }).or(z.unknown()),
  response: z.unknown(),
  failures: [],
})

let server: Awaited<ReturnType<typeof startTestServer>>
beforeAll(async () => {
  server = await startTestServer([route(echo, { handle: async ({ body }) => ({ body }) })])
})
afterAll(() => server[Symbol.asyncDispose]())

/** Chunked, so that no length is announced. */
const streamed = (bytes: Buffer) =>
  new ReadableStream({
    start(controller) {
      for (let at = 0; at < bytes.length; at += 4096) controller.enqueue(bytes.subarray(at, at + 4096))
      controller.close()
    },
  })

const send = async (bytes: Buffer, isChunked: boolean) => {
  const response = await fetch(`${server.url}/echo`, {
    method: 'POST',
    headers: { ...credentials, 'content-type': 'application/json' },
    ...(isChunked ? { body: streamed(bytes), duplex: 'half' } : { body: new Uint8Array(bytes) }),
  } as RequestInit)
  return { status: response.status, json: (await response.json()) as { body: unknown } }
}

/** As an answer tells it: -0 is 0 there. */
const wireOf = (bytes: Buffer) =>
  JSON.parse(JSON.stringify(JSON.parse(bytes.toString().replace(/^\ufeff/, ''))))

describe('JSON', () => {
  test('has as many cases as it says', () => {
    const count = (kind: string) => jsonCases.filter(({ name }) => name.startsWith(kind)).length
    expect(count('y_')).toBeGreaterThan(60)
    expect(count('n_')).toBeGreaterThan(200)
    expect(count('i_')).toBeGreaterThan(25)
  })

  test.each([...jsonCases])('$name', async ({ bytes, taken }) => {
    // Nothing at all is a body that was not sent, which this contract allows.
    const isTaken = taken || bytes.length === 0
    for (const isChunked of [false, true]) {
      const { status, json } = await send(bytes, isChunked)
      expect(status).toBe(isTaken ? 200 : 400)
      if (!isTaken)
        expect(json).toEqual({
          error: 'RequestValidationError',
          message: expect.stringMatching(/^\p{Lu}.*\.$/u),
        })
      else if (bytes.length > 0) expect(json.body).toEqual(wireOf(bytes))
    }
  })

  test('leaves nothing behind on any object', () => {
    expect('polluted' in {}).toBe(false)
    expect(Object.keys(Object.prototype)).toEqual([])
  })
})
