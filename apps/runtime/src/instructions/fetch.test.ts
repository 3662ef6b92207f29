import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { startProxy } from '@platform/outbound/testing'
import { longestTurn } from '@platform/testing'
import { describe, expect, test } from 'vitest'
import { type Answers, json, startOutside } from '../../test/outside.ts'
import { compiled, runMain, testEngine, testFetches } from '../../test/testing.ts'
import type { FetchSettings } from '../fetches/fetches-env.ts'

type Fields = Record<string, unknown>

/** Runs one fetch of a server outside. */
async function fetched(
  answers: Answers,
  fields: Fields = {},
  { payload = {}, settings = {} }: { payload?: Fields; settings?: Partial<FetchSettings> } = {},
) {
  await using outside = await startOutside(answers)
  const ran = await ranFetch({ url: `${outside.url}/path`, ...fields }, payload, settings)
  return { ...ran, got: outside.got, host: new URL(outside.url).host }
}

async function ranFetch(fields: Fields, payload: Fields = {}, settings: Partial<FetchSettings> = {}) {
  await using fetches = testFetches(settings)
  const main = { do: [{ fetch: { ...fields, output: 'out' } }], output: '{{out}}' }
  const { output, failed, events } = await runMain(compiled({ main }), payload, {}, testEngine({ fetches }))
  return { output, failed: failed?.failure, events, told: events.filter(isFetchFailed) }
}

const isFetchFailed = ({ type }: { type: string }): boolean => type === 'runtime.fetch.failed'
const ok: Answers = (_, response) => response.end('fine')

test('goes through a proxy where an operator has one, and never shows who asks it', async () => {
  await using outside = await startOutside((_, response) => response.end('through'))
  await using proxy = await startProxy(outside.port)
  const proxies = { http: proxy.url.replace('://', '://ada:hidden-word@'), except: [], resolvesNames: true }
  const { output } = await ranFetch({ url: 'http://api.example/path' }, {}, { proxies })
  expect(output).toBe('through')
  expect(proxy.asked).toMatchObject([{ method: 'GET', url: 'http://api.example/path' }])
  const away = { http: 'http://ada:hidden-word@127.0.0.1:1', except: [], resolvesNames: true }
  const failed = await ranFetch({ url: 'http://api.example/path' }, {}, { proxies: away, maxRetries: 0 })
  expect(failed.output).toMatchObject({ error: { name: 'NetworkError' } })
  expect(JSON.stringify([failed.output, failed.events])).not.toContain('hidden-word')
})

describe('what is sent', () => {
  test('is a GET with the query, and headers of the platform', async () => {
    const { got, output } = await fetched(
      ok,
      {
        query: { page: 2, tag: ['a b', 'c'], none: null, filter: { x: 1 } },
        headers: { 'X-Own': '{{own}}', 'X-Number': 5, host: 'elsewhere.example', 'content-length': 99 },
        body: 'no body goes with it',
      },
      { payload: { own: 'mine' } },
    )
    const [{ method, url, headers, text } = {} as never] = got
    expect([method, text, output]).toEqual(['GET', '', 'fine'])
    expect(url).toBe('/path?page=2&tag=a+b&tag=c&filter=%7B%22x%22%3A1%7D')
    expect(headers).toMatchObject({
      'x-own': 'mine',
      'x-number': '5',
      'user-agent': 'test',
      host: expect.stringMatching(/^127\.0\.0\.1:/),
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/),
      traceparent: expect.stringMatching(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/),
    })
    expect(headers['content-length']).toBeUndefined()
  })

  test('lets the automation name itself and its request', async () => {
    const own = { 'User-Agent': 'mine/1', 'Idempotency-Key': 'order-7', traceparent: 'mine' }
    const { got } = await fetched(ok, { headers: own })
    expect(got[0]?.headers).toMatchObject({
      'user-agent': 'mine/1',
      'idempotency-key': 'order-7',
      traceparent: 'mine',
    })
  })

  test.each([
    ['an object as JSON', { a: [1, 'é'] }, {}, '{"a":[1,"é"]}', 'application/json'],
    [
      'a list as JSON of another kind',
      [1],
      { 'content-type': 'application/vnd.api+json' },
      '[1]',
      'application/vnd.api+json',
    ],
    ['a text as it is', 'a=1', {}, 'a=1', 'text/plain;charset=UTF-8'],
    ['a number as JSON', 7, {}, '7', 'application/json'],
    [
      'a form',
      { grant_type: 'x y', list: [1, 2], none: null },
      { 'Content-Type': 'application/x-www-form-urlencoded' },
      'grant_type=x+y&list=1&list=2',
      'application/x-www-form-urlencoded',
    ],
    ['nothing', null, {}, '', undefined],
  ])('has %s for its body', async (_, body, headers, text, type) => {
    const { got } = await fetched(ok, { method: 'POST', body: '{{body}}', headers }, { payload: { body } })
    expect([got[0]?.method, got[0]?.text, got[0]?.headers['content-type']]).toEqual(['POST', text, type])
  })

  test.each([
    [{ url: '{{nothing}}' }, 'fetch.url must be an absolute address that begins with https:// or http://.'],
    [{ url: '/relative' }, 'fetch.url must be'],
    [{ method: '{{m}}' }, 'fetch.method must be one of get, post,'],
    [
      { headers: { 'a b': 'c' } },
      'The header "a b" of a fetch has a name or a value that no header may have.',
    ],
    [{ headers: { a: '{{twoLines}}' } }, 'The header "a" of a fetch has a name or a value'],
    [{ headers: { a: '{{object}}' } }, 'The header "a" of a fetch must be a text.'],
    [{ headers: '{{m}}' }, 'fetch.headers must be an object.'],
    [{ query: '{{m}}' }, 'fetch.query must be an object.'],
    [{ timeout: '{{m}}' }, 'fetch.timeout must be a time of at most 60 s'],
    [{ timeout: 61 }, 'fetch.timeout must be a time of at most 60 s'],
    [{ timeout: 0 }, 'fetch.timeout must be'],
    [{ redirects: '{{m}}' }, 'fetch.redirects must be a whole number from 0 to 10.'],
    [{ outputMode: '{{m}}' }, 'fetch.outputMode must be one of body,'],
    [
      { stream: { event: 'x', concatenate: { path: 'a', throttle: 1e6 } } },
      'needs a path, and a throttle of at most',
    ],
    [{ multipart: '{{m}}', method: 'post' }, 'fetch.multipart must be a list of fields.'],
    [{ auth: { basic: '{{m}}' } }, 'fetch.auth.basic must be an object.'],
    [{ auth: { basic: { user: 1 } } }, 'fetch.auth.basic.user must be a text.'],
    [{ auth: { awsv4: { accessKeyId: 'a' } } }, 'fetch.auth.awsv4.secretAccessKey is missing.'],
    [
      { auth: { oauth2: { grantType: 'password' } } },
      'fetch.auth.oauth2.grantType must be client_credentials.',
    ],
    [
      { auth: { basic: { user: 'a' }, oauth2: { tokenUrl: 'b', clientId: 'c', clientSecret: 'd' } } },
      'one of basic,',
    ],
  ])('is refused where it can’t be sent: %j', async (fields, message) => {
    const payload = { m: 'trace', twoLines: 'a\r\nx: y', object: { a: 1 } }
    const { failed, got } = await fetched(ok, fields, { payload })
    expect(failed?.name).toBe('InvalidInstructionError')
    expect(failed?.message).toContain(message)
    expect(got).toEqual([])
  })

  test('may be as large as any output, and no larger', async () => {
    const steps = { method: 'POST', body: '{{text}}' }
    const fits = await fetched(ok, steps, { payload: { text: 'x'.repeat(9_000_000) } })
    expect(fits.got[0]?.text.length).toBe(9_000_000)
    const { failed } = await fetched(ok, steps, { payload: { text: 'x'.repeat(10_000_001) } })
    expect(failed?.name).toBe('PayloadTooLarge')
  })
})

describe('the output', () => {
  const answer: Answers = (_, response) =>
    response
      .writeHead(201, {
        'content-type': 'application/problem+json; charset=utf-8',
        'set-cookie': ['a=1, x', 'b=2'],
      })
      .end('{"a":"é"}')
  const bytes = Buffer.from('{"a":"é"}').toString('base64')

  test.each([
    ['body', { a: 'é' }],
    [undefined, { a: 'é' }],
    ['base64', bytes],
    ['data_url', `data:application/problem+json;charset=utf-8;base64,${bytes}`],
  ])('in mode %s', async (outputMode, expected) => {
    expect((await fetched(answer, { outputMode })).output).toEqual(expected)
  })

  test('with its status and headers', async () => {
    const { output } = await fetched(answer, { outputMode: 'detailed_response' })
    expect(output).toMatchObject({
      status: 201,
      headers: { 'content-type': 'application/problem+json; charset=utf-8', 'set-cookie': ['a=1, x', 'b=2'] },
      body: { a: 'é' },
    })
  })

  test.each([
    ['text in another encoding', 'text/plain; charset="iso-8859-1"', Buffer.from([0xe9]), 'é'],
    ['text in an encoding nobody knows', 'text/plain; charset=x-nobody', Buffer.from('é'), 'é'],
    ['JSON with a mark in front', 'application/json', Buffer.from('\ufeff[1]'), [1]],
    ['what only says that it is JSON', 'application/json', Buffer.from('{oops'), '{oops'],
    ['nothing', 'application/json', Buffer.alloc(0), ''],
    ['JSON that says it is text', 'text/plain', Buffer.from('{"a":1}'), '{"a":1}'],
    ['keys that poison objects', 'application/json', Buffer.from('{"__proto__":{"x":1},"a":1}'), { a: 1 }],
  ])('is read from %s', async (_, type, sent, expected) => {
    const { output } = await fetched((_got, response) =>
      response.writeHead(200, { 'content-type': type }).end(sent),
    )
    expect(output).toEqual(expected)
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ])('is unpacked: %s', async (encoding, pack) => {
    const { output } = await fetched((_, response) =>
      response
        .writeHead(200, { 'content-encoding': encoding, 'content-type': 'application/json' })
        .end(pack('[1]')),
    )
    expect(output).toEqual([1])
  })

  test('is empty for HEAD and 204', async () => {
    const length = { 'content-length': '5' }
    const head = await fetched((_, response) => response.writeHead(200, length).end(), { method: 'head' })
    const none = await fetched((_, response) => response.writeHead(204).end())
    expect([head.output, none.output]).toEqual(['', ''])
  })

  test.each([
    ['a million values', `[${'0,'.repeat(1_000_000)}0]`],
    ['a million levels', `${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}`],
    ['two hundred levels', `${'['.repeat(200)}${']'.repeat(200)}`],
  ])('of %s is a failure, and holds nobody up', async (_, text) => {
    const { result, longestMs } = await longestTurn(() =>
      fetched((_got, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(text)),
    )
    const { output, failed, told } = result
    expect(failed).toBeUndefined()
    expect(output).toEqual({
      error: {
        name: 'PayloadTooLarge',
        message: expect.stringContaining('JSON with too many values or levels'),
      },
    })
    expect(told).toHaveLength(1)
    expect(longestMs).toBeLessThan(300)
  })
})

describe('what fails', () => {
  test('on the other side goes on, and is told', async () => {
    const { output, failed, told, host } = await fetched((_, response) => json(response, { why: 'no' }, 404))
    expect(failed).toBeUndefined()
    expect(output).toEqual({ why: 'no' })
    expect(told).toMatchObject([
      {
        payload: {
          request: { url: `http://${host}/path`, method: 'get' },
          response: { status: 404, body: '{"why":"no"}' },
        },
        source: { automationSlug: 'main', correlationId: 'correlation-of-the-test' },
      },
    ])
  })

  test('is not told with emitErrors: false', async () => {
    const { told } = await fetched((_, response) => json(response, {}, 500), { emitErrors: false })
    expect(told).toEqual([])
    expect(
      (await ranFetch({ url: 'http://127.0.0.1:1/', emitErrors: '{{no}}' }, { no: false })).told,
    ).toEqual([])
  })

  test('before an answer came is a value, in every mode', async () => {
    const outside = await startOutside()
    await outside[Symbol.asyncDispose]()
    for (const outputMode of ['body', 'detailed_response', 'base64', 'data_url']) {
      const { output, failed, told } = await ranFetch({ url: outside.url, outputMode })
      const message = `127.0.0.1:${outside.port} could not be reached (ECONNREFUSED).`
      expect([failed, output]).toEqual([undefined, { error: { name: 'NetworkError', message } }])
      expect(told).toMatchObject([{ payload: { error: { error: 'NetworkError', message } } }])
    }
  })

  test.each([
    [
      'http://10.0.0.8/',
      '10.0.0.8 is not a public address: an operator can allow it with FETCH_ALLOWED_HOSTS.',
    ],
    ['http://127.0.0.1:25/', 'Port 25 is one that no HTTP server has.'],
    ['ftp://example.com/', 'Addresses that begin with ftp: are not called: use https:.'],
    ['https://ada:pw@example.com/', 'The address at example.com holds a user name or password'],
  ])('because it may not be called is a value: %s', async (url, message) => {
    const { output, failed } = await ranFetch({ url })
    expect([failed, output]).toEqual([
      undefined,
      { error: { name: 'OutboundRefused', message: expect.stringContaining(message) } },
    ])
  })

  test.each<[string, Answers]>([
    ['that hangs up', (_, response) => response.destroy()],
    [
      'that hangs up in the middle',
      (_, response) => {
        response.writeHead(200, { 'content-length': '10' })
        response.write('half', () => response.destroy())
      },
    ],
    [
      'that lies about its packing',
      (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
    ],
  ])('is a server %s', async (_, answers) => {
    const { output, failed } = await fetched(answers, {}, { settings: { maxRetries: 0 } })
    expect(failed).toBeUndefined()
    expect(output).toMatchObject({ error: { name: 'NetworkError' } })
  })

  test('shows no secret, sent or echoed, and no more of a body than its beginning', async () => {
    const canaries = ['bearer', 'key', 'query', 'signature', 'body', 'form', 'run'].map(
      (place) => `canary-${place}-5f2b`,
    )
    const [bearer, key, query, signature, inBody, , ofRun] = canaries
    const answers: Answers = ({ headers, text }, response) =>
      json(response, { echo: [headers, text], token: bearer, rest: 'x'.repeat(50_000) }, 500)
    const arguments_ = { password: { type: 'string', secret: true } }
    await using outside = await startOutside(answers)
    const fetch = {
      url: `${outside.url}/${ofRun}?token=${query}&sig=${signature}&page=1`,
      method: 'post',
      headers: { Authorization: `Bearer ${bearer}`, 'knowledge-project-apiKey': key },
      body: { client_secret: inBody, ofRun: 'x {{password}}', fine: 'fine' },
    }
    const { events } = await runMain(
      compiled({ main: { arguments: arguments_, do: [{ fetch }] } }),
      { password: ofRun },
      {},
      testEngine({ fetches: testFetches({ maxRetries: 0 }) }),
    )
    expect(outside.got[0]?.headers.authorization).toBe(`Bearer ${bearer}`)
    const [told] = events.filter(isFetchFailed)
    const text = JSON.stringify(told?.payload)
    expect(canaries.filter((canary) => text.includes(canary))).toEqual([])
    expect(told?.payload).toMatchObject({
      request: { url: expect.stringContaining('page=1'), body: expect.stringContaining('"fine":"fine"') },
      response: { status: 500, body: expect.stringMatching(/^.{10000}$/) },
    })
  })
})
