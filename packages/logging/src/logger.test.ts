import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test } from 'vitest'
import { createLogger, scrub } from './index.ts'

const jwt = `eyJhbGciOiJSUzI1NiJ9.${'a'.repeat(40)}.${'b-_'.repeat(20)}`
const accessToken = `at:${'a1B2'.repeat(12)}c`
const apiKey = 'iak_acme-corp_7c9e6679-7425-40de-944b-e07fc1f90ae7'

const written = (log: (logger: ReturnType<typeof createLogger>) => void) => {
  const lines: string[] = []
  log(createLogger({ level: 'info', destination: { write: (line) => lines.push(line) } }))
  return lines.map((line) => JSON.parse(line))
}

describe('scrubbing', () => {
  test.each([
    [`got ${jwt} instead`, 'got [jwt] instead'],
    [`cut ${jwt.slice(0, 30)}`, 'cut [jwt]'],
    [`token ${accessToken}.`, 'token [access token].'],
    [`key ${apiKey}!`, 'key [api key]!'],
    [`secret whsec_abc+/=`, 'secret [webhook secret]'],
    ['Authorization: Bearer c29tZXRoaW5n==', 'Authorization: Bearer [credential]'],
    ['redis://:pass@host:6379/0 is down', 'redis://[credentials]@host:6379/0 is down'],
    ['postgres://u:p@ss@host/db?x=1', 'postgres://[credentials]@host/db?x=1'],
    ['opensearch+https://u:p@host', 'opensearch+https://[credentials]@host'],
  ])('%s', (text, clean) => {
    expect(scrub(text)).toBe(clean)
  })

  test.each([
    'http://host:3001/v2?a=b@c',
    'at: 12:00',
    'the bearer of news',
    'connect ECONNREFUSED 127.0.0.1:5432',
  ])('leaves %s alone', (text) => {
    expect(scrub(text)).toBe(text)
  })

  test.each(['eyJ', 'a', 'at:', 'a:', 'http://', 'iak_', 'bearer '])(
    'takes no time over a megabyte of "%s"',
    (part) => {
      const before = process.threadCpuUsage()
      expect(scrub(part.repeat(1_000_000 / part.length)).length).toBeLessThan(17_000)
      expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(500)
    },
  )
})

describe('the logger', () => {
  test('writes one line of JSON: time, level, fields, sentence', () => {
    const [line] = written((log) =>
      log.child({ service: 'events' }).info({ kid: 'k1' }, 'signing key rotated'),
    )
    expect(line).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      service: 'events',
      kid: 'k1',
      msg: 'signing key rotated',
    })
  })

  test('censors secrets by their name, at the top and one level down', () => {
    const secrets = {
      authorization: 'x',
      cookie: 'x',
      token: 'x',
      password: 'x',
      secret: 'x',
      apiKey: 'x',
      internalApiKey: 'x',
      'x-platform-api-key': 'x',
      'x-platform-internal-key': 'x',
      'set-cookie': 'x',
    }
    const [line] = written((log) => log.info({ ...secrets, headers: secrets, kept: 'kept' }, 'm'))
    const censored = Object.fromEntries(Object.keys(secrets).map((name) => [name, '[redacted]']))
    expect(line).toMatchObject({ ...censored, headers: censored, kept: 'kept' })
  })

  test('tells an error with its code, causes and parts, and no credential', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const cause = new AggregateError([refused], '')
    const error = new Error(`postgres://u:hunter2@host said no to ${jwt}`, { cause })
    const [line] = written((log) => log.error({ err: error }, 'failed'))
    expect(line.err).toMatchObject({
      name: 'Error',
      message: 'postgres://[credentials]@host said no to [jwt]',
      cause: { name: 'AggregateError', errors: [{ code: 'ECONNREFUSED' }] },
    })
    expect(JSON.stringify(line)).not.toMatch(/hunter2|eyJ/)
  })

  test('survives causes that go in circles and values that are no errors', () => {
    const first = new Error('first')
    const second = new Error('second', { cause: first })
    first.cause = second
    const circle: Record<string, unknown> = {}
    circle.self = circle
    const lines = written((log) => {
      log.error({ err: first }, 'm')
      for (const err of [`text ${accessToken}`, undefined, null, { a: 1 }, circle, Symbol('s')])
        log.error({ err }, 'm')
    })
    expect(lines).toHaveLength(7)
    expect(lines[1]?.err).toBe('text [access token]')
  })

  test('a reader that goes away does not end the process', async () => {
    const script = `
      const { createLogger } = await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
      const log = createLogger({ level: 'info' })
      process.stdin.resume()
      process.stdin.once('end', () => {
        const text = 'x'.repeat(1000)
        for (let count = 0; count < 200; count += 1) setTimeout(() => log.info({ count, text }, 'line'), count)
        setTimeout(() => process.exit(7), 500)
      })
      log.info('ready')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    await once(child.stdout, 'data')
    child.stdout.destroy()
    child.stdin.end()
    const [code] = await once(child, 'exit')
    expect(code).toBe(7)
  })
})
