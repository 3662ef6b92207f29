import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { KEY, runOps, serve } from '../../test/testing.ts'

const gateway = {
  status: 'ready',
  modulesReady: [
    { module: 'database', driver: 'postgres' },
    { module: 'sessionsRedis', driver: 'memory' },
    { module: 'runtime', driver: 'service' },
  ],
}
const ready = {
  status: 'ready',
  services: {
    'api-gateway': gateway,
    runtime: {
      status: 'ready',
      url: 'http://127.0.0.1:3003',
      response: { status: 'ready', modulesReady: [{ module: 'broker', driver: 'nats' }] },
    },
  },
}
const failing = {
  status: 'error',
  services: {
    'api-gateway': gateway,
    runtime: {
      status: 'error',
      url: 'http://127.0.0.1:3003',
      response: {
        status: 'error',
        modulesReady: [{ module: 'broker', driver: 'postgres' }],
        errors: [
          { error: 'CacheError', module: 'cache', driver: 'redis', message: 'No server\u001b[2J\nanswers.' },
        ],
      },
      errors: [
        { error: 'CacheError', module: 'cache', driver: 'redis', message: 'No server\u001b[2J\nanswers.' },
      ],
    },
    events: {
      status: 'error',
      url: 'http://127.0.0.1:3004',
      errors: [
        {
          error: 'ServiceUnavailable',
          module: 'events',
          driver: 'service',
          message: 'Nothing answers at http://127.0.0.1:3004.',
        },
      ],
    },
  },
}

/** A platform that answers one thing, and remembers how it was asked. */
const platform = async (status: number, body: unknown) => {
  const asked: (string | string[] | undefined)[] = []
  const server = await serve((request, response) => {
    asked.push(request.method, request.url, request.headers['x-platform-api-key'])
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  return Object.assign(server, { asked })
}

describe('ops readiness', () => {
  test('shows a table and ends with 0 when everything is ready', async () => {
    await using server = await platform(200, ready)
    const { code, out, err } = await runOps(['readiness'], { PORT: server.port, INTERNAL_API_KEY: KEY })
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatchInlineSnapshot(`
      "ready  api-gateway
      ready    database       postgres
      ready    sessionsRedis  memory
      ready    runtime        service
      ready  runtime                    http://127.0.0.1:3003
      ready    broker         nats

      The platform is ready."
    `)
    expect(server.asked).toEqual(['GET', '/v2/readiness', KEY])
  })

  test('shows what fails, and why, and ends with 1', async () => {
    await using server = await platform(400, failing)
    const { code, out } = await runOps(['readiness'], { PORT: server.port, INTERNAL_API_KEY: KEY })
    expect(code).toBe(1)
    expect(out).toMatchInlineSnapshot(`
      "ready  api-gateway
      ready    database       postgres
      ready    sessionsRedis  memory
      ready    runtime        service
      ERROR  runtime                    http://127.0.0.1:3003
      ready    broker         postgres
      ERROR    cache          redis     CacheError: No server [2J answers.
      ERROR  events                     http://127.0.0.1:3004
      ERROR    events         service   ServiceUnavailable: Nothing answers at http://127.0.0.1:3004.

      The platform is not ready: 2 modules fail."
    `)
  })

  test('shows what to look at though it is ready, and ends with 0', async () => {
    const message = '"webhooks" has events to handle that are 75 s old.'
    const warnings = [{ module: 'broker', driver: 'nats', message }]
    const response = { ...ready.services.runtime.response, warnings }
    const report = { ...ready, services: { events: { ...ready.services.runtime, response } } }
    await using server = await platform(200, report)
    const { code, out } = await runOps(['readiness'], { PORT: server.port, INTERNAL_API_KEY: KEY })
    expect(code).toBe(0)
    expect(out).toMatchInlineSnapshot(`
      "ready  events          http://127.0.0.1:3003
      ready    broker  nats
      WARN     broker  nats  "webhooks" has events to handle that are 75 s old.

      The platform is ready."
    `)
  })

  test('has colours on a terminal, the same text below them', async () => {
    await using server = await platform(400, failing)
    const env = { PORT: server.port, INTERNAL_API_KEY: KEY }
    const coloured = await runOps(['readiness'], env, true)
    const bare = await runOps(['readiness'], env)
    expect(coloured.out).toContain('\u001b[31mERROR\u001b[0m')
    expect(coloured.out.replace(/\p{Cc}\[\d+m/gu, '')).toBe(bare.out)
  })

  test('prints the report as it is with --json, restricted with --services', async () => {
    await using server = await platform(400, failing)
    const { code, out } = await runOps(['readiness', '--json', '--services', 'runtime,events'], {
      API_URL: `http://127.0.0.1:${server.port}/prefix/v2/`,
      INTERNAL_API_KEY: KEY,
    })
    expect(code).toBe(1)
    expect(JSON.parse(out)).toEqual(failing)
    expect(server.asked[1]).toBe('/prefix/v2/readiness?services=runtime%2Cevents')
  })

  test('asks the gateway by its address inside before the public one, and what --at names before both', async () => {
    await using server = await platform(200, ready)
    const here = `http://127.0.0.1:${server.port}/v2`
    const nowhere = 'http://127.0.0.1:1/v2'
    const key = { INTERNAL_API_KEY: KEY }
    expect((await runOps(['readiness'], { ...key, INTERNAL_API_URL: here, API_URL: nowhere })).code).toBe(0)
    const elsewhere = { ...key, INTERNAL_API_URL: nowhere, API_URL: nowhere }
    expect((await runOps(['--at', here, 'readiness'], elsewhere)).code).toBe(0)
  })

  test('takes the key that the first start has kept', async () => {
    await using server = await platform(200, ready)
    const directory = mkdtempSync(join(tmpdir(), 'ops '))
    writeFileSync(join(directory, 'secrets.env'), `# kept\nINTERNAL_API_KEY=kept=key\nOTHER=x\n`)
    expect((await runOps(['readiness'], { PORT: server.port, DATA_DIRECTORY: directory })).code).toBe(0)
    expect(server.asked[2]).toBe('kept=key')
  })

  test.each<[string, number, unknown, string]>([
    [
      'a wrong key',
      401,
      { error: 'AuthenticationError', message: 'No.' },
      'The platform refuses the internal key: INTERNAL_API_KEY is another one than it runs with.',
    ],
    [
      'an unknown service',
      400,
      { error: 'RequestValidationError', message: 'query.services: "x" is none.' },
      'query.services: "x" is none.',
    ],
    ['something else', 200, '<html>', 'is not the platform: check API_URL and PORT.'],
    ['an unknown shape', 200, { hello: 'world' }, 'The platform answered 200.'],
  ])('says what is wrong with %s', async (_, status, body, sentence) => {
    await using server = await platform(status, body)
    const { code, out, err } = await runOps(['readiness'], { PORT: server.port, INTERNAL_API_KEY: KEY })
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toContain(sentence)
  })

  test.each<[string, Record<string, string>, string]>([
    [
      'nothing answers',
      { PORT: '1', INTERNAL_API_KEY: KEY },
      'Nothing answers at http://127.0.0.1:1: start the platform, or set API_URL or PORT.',
    ],
    [
      'the key is not known',
      { DATA_DIRECTORY: '/nowhere' },
      'INTERNAL_API_KEY is not known: set it, ' +
        'or set DATA_DIRECTORY to the data of the platform (/nowhere/secrets.env is not there).',
    ],
    [
      'the address is none',
      { API_URL: 'localhost', INTERNAL_API_KEY: KEY },
      'API_URL must be an http or https address, not "localhost".',
    ],
  ])('says so when %s', async (_, env, sentence) => {
    expect(await runOps(['readiness'], env)).toEqual({ code: 1, out: '', err: sentence })
  })
})
