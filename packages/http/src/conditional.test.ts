import { endpoint } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { credentials, startTestServer } from '../test/testing.ts'
import { etagOf, requireMatch, respond, route, strongEtag } from './index.ts'

const shape = {
  service: 'events',
  credential: 'none',
  response: z.object({ name: z.string() }),
  failures: [],
} as const
const getThing = endpoint({
  ...shape,
  id: 'getThing',
  summary: 'Reads.',
  method: 'get',
  path: '/thing',
  etag: true,
})
const getTagged = endpoint({ ...getThing, id: 'getTagged', path: '/tagged' })
const getFile = endpoint({ ...getThing, id: 'getFile', path: '/file' })
const getMissing = endpoint({ ...getThing, id: 'getMissing', path: '/missing' })
const listThings = endpoint({
  ...shape,
  id: 'listThings',
  summary: 'Lists.',
  method: 'get',
  path: '/things',
})
const dropSession = endpoint({
  ...shape,
  id: 'dropSession',
  summary: 'Ends.',
  method: 'delete',
  path: '/session',
})

const thing = { name: 'é', secret: 'never shown' }
const headers = { 'cache-control': 'public, max-age=60', vary: 'accept', 'content-location': '/tagged/1' }

let server: Awaited<ReturnType<typeof startTestServer>>
beforeAll(async () => {
  server = await startTestServer([
    route(getThing, { handle: async () => thing }),
    route(getTagged, {
      handle: async () => respond(thing, { headers: { ...headers, etag: '"a,b"' } }),
    }),
    route(getFile, {
      handle: async () => respond(Buffer.from('bytes'), { contentType: 'image/png' }),
    }),
    route(getMissing, {
      handle: async () => {
        throw new Failure('ObjectNotFoundError', 'Nothing here.')
      },
    }),
    route(listThings, { handle: async () => thing }),
    route(dropSession, { handle: async () => thing }),
  ])
})
afterAll(() => server[Symbol.asyncDispose]())

const ask = (path: string, given: Record<string, string> = {}, method = 'GET') =>
  fetch(server.url + path, { method, headers: { ...credentials, ...given } })

describe('a single resource', () => {
  test('has a strong tag of its JSON text, the same for the same state', async () => {
    const first = await ask('/thing')
    const tag = first.headers.get('etag')
    expect(tag).toBe(strongEtag(await first.text()))
    expect(tag).toMatch(/^"[\w-]{27}"$/)
    expect(etagOf(getThing, thing)).toBe(tag)
    expect(etagOf(getThing, { name: 'other' })).not.toBe(tag)
  })

  test('keeps the tag its handler gives it', async () => {
    expect((await ask('/tagged')).headers.get('etag')).toBe('"a,b"')
  })

  test('is tagged when it is a file', async () => {
    const tag = (await ask('/file')).headers.get('etag') ?? ''
    expect(tag).toBe(strongEtag('bytes'))
    expect((await ask('/file', { 'if-none-match': tag })).status).toBe(304)
  })

  test.each(['GET', 'HEAD'])('is answered to %s with 304, no body and the headers of 200', async (method) => {
    const response = await ask(
      '/tagged',
      { 'if-none-match': '"a,b"', 'x-correlation-id': 'correlation-1' },
      method,
    )
    expect([response.status, await response.text()]).toEqual([304, ''])
    expect(response.headers.get('etag')).toBe('"a,b"')
    for (const [name, value] of Object.entries(headers)) expect(response.headers.get(name)).toBe(value)
    expect(response.headers.get('date')).not.toBeNull()
    expect(response.headers.get('content-type')).toBeNull()
    expect(response.headers.get('x-correlation-id')).toBe('correlation-1')
  })

  test('has the same headers for HEAD as for GET', async () => {
    const get = await ask('/thing')
    const head = await ask('/thing', {}, 'HEAD')
    for (const name of ['etag', 'content-length', 'content-type', 'cache-control'])
      expect(head.headers.get(name)).toBe(get.headers.get(name))
  })

  test.each([
    ['"a,b"', 304],
    ['W/"a,b"', 304],
    ['*', 304],
    [' * ', 304],
    ['"x", "a,b"', 304],
    ['"x" , W/"y",,"a,b"', 304],
    ['"a', 200],
    ['a,b', 200],
    ['"x"', 200],
    ['"a,b', 200],
    ['"a,b" "x"', 200],
    ['*, "a,b"', 200],
    ['w/"a,b"', 200],
    [',', 200],
    ['"a b"', 200],
    ['""', 200],
  ])('If-None-Match: %s is %d', async (given, status) => {
    expect((await ask('/tagged', { 'if-none-match': given })).status).toBe(status)
  })

  test('what is missing stays missing, whatever tag is asked for', async () => {
    const response = await ask('/missing', { 'if-none-match': '*' })
    expect([response.status, response.headers.get('etag')]).toEqual([404, null])
  })

  test('a list has none', async () => {
    expect((await ask('/things')).headers.get('etag')).toBeNull()
  })
})

const problemOf = (given: Record<string, string>): string | undefined => {
  try {
    requireMatch(given, '"a,b"')
    return undefined
  } catch (error) {
    return error instanceof Failure ? error.name : String(error)
  }
}

describe('a change', () => {
  test.each([
    [undefined, undefined],
    ['*', undefined],
    ['"a,b"', undefined],
    ['"x", "a,b"', undefined],
    ['"x",,"a,b" ,', undefined],
    ['"x"', 'PreconditionFailed'],
    ['W/"a,b"', 'PreconditionFailed'],
    ['"A,B"', 'PreconditionFailed'],
    ['""', 'PreconditionFailed'],
    ['', 'RequestValidationError'],
    [',', 'RequestValidationError'],
    ['a,b', 'RequestValidationError'],
    ['"a,b', 'RequestValidationError'],
    ['"a,b" "x"', 'RequestValidationError'],
    ['*, "a,b"', 'RequestValidationError'],
    ['"a,b", *', 'RequestValidationError'],
    ['w/"a,b"', 'RequestValidationError'],
    ['"a\u0001b"', 'RequestValidationError'],
  ])('If-Match: %s → %s', (given, problem) => {
    expect(problemOf(given === undefined ? {} : { 'if-match': given })).toBe(problem)
  })

  test('If-None-Match forbids it for the state it names', () => {
    expect(problemOf({ 'if-none-match': '*' })).toBe('PreconditionFailed')
    expect(problemOf({ 'if-none-match': '"a,b"' })).toBe('PreconditionFailed')
    expect(problemOf({ 'if-none-match': '"x"' })).toBeUndefined()
  })

  test('of what has no tag is refused for every tag: nobody can have read it', async () => {
    expect((await ask('/session', { 'if-match': '"x"' }, 'DELETE')).status).toBe(412)
    expect((await ask('/session', { 'if-match': 'x' }, 'DELETE')).status).toBe(400)
    expect((await ask('/session', { 'if-match': '*' }, 'DELETE')).status).toBe(200)
    expect((await ask('/session', {}, 'DELETE')).status).toBe(200)
  })

  test('a megabyte of tags takes no time', () => {
    const before = process.threadCpuUsage()
    for (const given of ['"x",'.repeat(250_000), '"'.repeat(1_000_000), `${' '.repeat(1_000_000)}"`]) {
      problemOf({ 'if-match': given })
    }
    // Quadratic work would take minutes.
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(500)
  })
})
