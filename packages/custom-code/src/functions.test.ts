// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts of functions hold templates.
import { describe, expect, test } from 'vitest'
import { call, failureOf, opened, resultOf, shared } from '../test/opened.ts'

const plain = shared()

describe('a function in JavaScript', () => {
  test('is a body with its parameters by name, those left out undefined', async () => {
    expect(
      await resultOf(plain, 'return [a + b, typeof c]', { a: 1, b: 2 }, { parameterNames: ['a', 'b', 'c'] }),
    ).toEqual([3, 'undefined'])
    expect(await resultOf(plain, 'return parameters["the name"]', { 'the name': 1 })).toBe(1)
    expect(await resultOf(plain, 'const a = 5; total = a; return total', { a: 1 })).toBe(5)
    expect(await resultOf(plain, 'const nothing = 1')).toBe(null)
  })

  test.each([
    ['export default function hello({ name }) { return `Hello ${name}` }'],
    ['export default (name) => `Hello ${name}`'],
    ['function hello(name, other = 1) { return `Hello ${name}` }\nexport default hello'],
    ['export async function hello({ name }) { return `Hello ${name}` }'],
    ['const hello = async ({ name }) => `Hello ${name}`\nexport { hello as default }'],
    ['module.exports = ({ name }) => `Hello ${name}`'],
    ['exports.hello = function ({ name }) { return `Hello ${name}` }'],
    ['const word = "Hello"\nconst hello = (name) => `${word} ${name}`\nmodule.exports = hello'],
  ])('may be a module: %s', async (source) => {
    expect(await resultOf(plain, source, { name: 'Ada' }, { parameterNames: ['name', 'other'] })).toBe(
      'Hello Ada',
    )
  })

  test('imports the libraries of the platform by both ways', async () => {
    const source = `
      import dayjs from 'dayjs'
      import utc from 'dayjs/plugin/utc'
      import { chunk, default as all } from 'lodash-es'
      import * as zod from 'zod'
      dayjs.extend(utc)
      const later = await import('yaml')
      const Decimal = require('decimal.js')
      const { z } = require('zod')
      return [
        dayjs.utc('2026-01-02T03:04:05Z').format('DD/MM/YYYY HH'), chunk([1, 2, 3], 2), all.uniq([1, 1]),
        zod.z.number().parse(1), later.parse('a: 1'), new Decimal('0.1').plus('0.2').toString(), z.string().parse('x'),
        require('mustache').render('{{a}}', { a: 1 }), require('csv-parse/sync').parse('a,b\\n1,2'),
        require('marked').marked('# x').trim(), new (require('fast-xml-parser').XMLParser)().parse('<a>1</a>'),
        require('papaparse').parse('a,b').data, require('luxon').DateTime.fromISO('2020-01-01').year,
        require('date-fns').addDays(new Date(0), 1).toISOString(),
        require('uuid').v4().length, require('lodash').last([1, 2]),
      ]`
    expect(await resultOf(plain, source)).toEqual([
      '02/01/2026 03',
      [[1, 2], [3]],
      [1],
      1,
      { a: 1 },
      '0.3',
      'x',
      '1',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
      '<h1>x</h1>',
      { a: 1 },
      [['a', 'b']],
      2020,
      '1970-01-02T00:00:00.000Z',
      36,
      2,
    ])
  })

  test('finds what authors expect of the web, and nothing of the platform', async () => {
    const source = `
      const url = new URL('/a?b=1#c', 'https://example.com')
      url.searchParams.set('é', '😀')
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode('abc'))
      const order = []
      const tick = setInterval(() => order.push('tick'), 1)
      await new Promise((resolve) => setTimeout(resolve, 20, 'x'))
      clearInterval(tick)
      return {
        href: url.href, text: atob(btoa('hi')), map: structuredClone(new Map([[1, { a: 1 }]])).get(1),
        decoded: new TextDecoder().decode(new TextEncoder().encode('é😀\\ud800')),
        invalid: new TextDecoder().decode(new Uint8Array([0xe2, 0x82, 65])),
        uuid: /^[0-9a-f-]{36}$/.test(crypto.randomUUID()), random: crypto.getRandomValues(new Uint8Array(4)).length,
        digest: [...new Uint8Array(digest)].slice(0, 2), ticked: order.length > 0,
        none: [typeof process, typeof globalThis.$platform, typeof WebAssembly, typeof module.require],
      }`
    expect(await resultOf(plain, source)).toEqual({
      href: 'https://example.com/a?b=1&%C3%A9=%F0%9F%98%80#c',
      text: 'hi',
      map: { a: 1 },
      decoded: 'é😀\ufffd',
      invalid: '\ufffdA',
      uuid: true,
      random: 4,
      digest: [186, 120],
      ticked: true,
      none: ['undefined', 'undefined', 'undefined', 'undefined'],
    })
  })

  test('finds the modules of Node that only calculate, by either name, and Buffer', async () => {
    const source = `
      import { createHash, createHmac, randomBytes, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
      import crypto from 'crypto'
      import { promisify, format, inspect, isDeepStrictEqual, types, TextEncoder } from 'util'
      import EventEmitter, { once } from 'events'
      import path, { join } from 'node:path'
      import assert from 'assert'
      import { Buffer as Bytes } from 'buffer'
      const url = require('url'), querystring = require('node:querystring')
      const emitter = new EventEmitter()
      const heard = []
      emitter.on('a', (value) => heard.push(value)).emit('a', 1)
      let error
      try { assert.deepStrictEqual({ a: 1 }, { a: 2 }) } catch (thrown) { error = thrown.message }
      assert(true); assert.throws(() => { throw new TypeError('x') }, TypeError)
      return {
        hash: createHash('sha256').update('a').update(Buffer.from('bc')).digest('hex').slice(0, 8),
        md5: crypto.createHash('md5').update('abc').digest('base64'),
        hmac: createHmac('sha512', 'k'.repeat(200)).update('abc').digest('base64url'),
        random: [randomBytes(70000).length, randomInt(5, 6), randomUUID().length],
        same: ['a', 'b'].map((text) => timingSafeEqual(Buffer.from('a'), Buffer.from(text))),
        buffer: [
          Buffer.from('é').toString('hex'), Buffer.from('aGk_', 'base64url').toString('base64'), Bytes === Buffer,
          Buffer.concat([Buffer.from('a'), Buffer.alloc(1)]).toJSON(), Buffer.byteLength('é'),
          Buffer.isBuffer(randomBytes(1)),
        ],
        promised: await promisify((value, done) => done(null, value + 1))(1),
        format: format('%s is %d, %j', 'a', 1, { b: 1 }, [1]),
        inspect: inspect({ a: 'x', b: [1, { c: { d: { e: 1 } } }], m: new Map([[1, 2]]), f() {} }),
        equal: [isDeepStrictEqual({ a: [1, new Set([1])] }, { a: [1, new Set([1])] }), isDeepStrictEqual([1], ['1'])],
        types: [types.isDate(new Date()), types.isPromise(Promise.resolve()), new TextEncoder().encode('a').length],
        heard, once: typeof once, join: [join('a', '..', 'b'), path.extname('a.b'), path.basename('/x/y')],
        url: [
          url.parse('https://a.example:1/b?c=1').pathname, url.resolve('/a/b', '../c'),
          url.format({ pathname: '/a', query: { b: '1' } }), url.URL === URL,
        ],
        query: [querystring.parse('a=1&a=2&b=%20').a, querystring.stringify({ a: [1, 2], b: 'ü' })],
        error,
      }`
    const { createHmac } = await import('node:crypto')
    expect(await resultOf(plain, source)).toEqual({
      hash: 'ba7816bf',
      md5: 'kAFQmDzST7DWlj99KOF/cg==',
      hmac: createHmac('sha512', 'k'.repeat(200)).update('abc').digest('base64url'),
      random: [70000, 5, 36],
      same: [true, false],
      buffer: ['c3a9', 'aGk/', true, { type: 'Buffer', data: [97, 0] }, 2, true],
      promised: 2,
      format: 'a is 1, {"b":1} [ 1 ]',
      inspect: "{\n  a: 'x',\n  b: [ 1, { c: [Object] } ],\n  m: Map(1) { 1 => 2 },\n  f: [Function: f]\n}",
      equal: [true, false],
      types: [true, true, 1],
      heard: [1],
      once: 'function',
      join: ['b', '.b', 'y'],
      url: ['/b', '/c', '/a?b=1', true],
      query: [['1', '2'], 'a=1&a=2&b=%C3%BC'],
      error: 'Expected { a: 1 } to equal { a: 2 }.',
    })
  })

  test.each([['https'], ['node:http'], ['dns']])('is told of fetch where it imports %s', async (name) => {
    const failure = await failureOf(plain, `return require('${name}')`)
    expect(failure.reason).toBe('dependencyNotAllowed')
    expect(failure.message).toContain('call the outside with fetch, which needs no import')
  })

  test('aborts what it waits for', async () => {
    const source = `
      const controller = new AbortController()
      const heard = []
      controller.signal.addEventListener('abort', ({ type }) => heard.push(type))
      setTimeout(() => controller.abort(), 5)
      const why = await fetch('https://a', { signal: controller.signal }).catch((error) => error.name)
      const late = await fetch('https://a', { signal: AbortSignal.timeout(5) }).catch((error) => error.name)
      const any = AbortSignal.any([AbortSignal.abort('now'), controller.signal])
      return [why, late, heard, any.reason, new AbortController().signal.aborted]`
    const never = () => new Promise<Response>(() => undefined)
    expect(await resultOf(plain, source, {}, { fetch: never })).toEqual([
      'AbortError',
      'TimeoutError',
      ['abort'],
      'now',
      false,
    ])
  })

  test('writes logs, as far as they are kept', async () => {
    const code = opened({ FUNCTIONS_MAX_LOG_BYTES: '200' })
    const { logs } = await call(
      code,
      "console.log('a', { b: 1 }); console.warn('c'); console.debug(undefined, 1n)",
    )
    expect(logs.map(({ level, text }) => [level, text])).toEqual([
      ['info', 'a {"b":1}'],
      ['warn', 'c'],
      ['debug', 'undefined 1'],
    ])
    const { logs: many } = await call(code, "for (let n = 0; n < 1000; n += 1) console.error('x'.repeat(50))")
    expect(many).toHaveLength(3)
    expect(many.at(-1)?.text).toContain('More than 200 bytes were logged')
  })

  test('sees nothing of the call before, of its own workspace or another', async () => {
    const code = opened({ FUNCTIONS_WORKERS: '2' })
    const source = `
      const before = [typeof globalThis.left, Array.prototype.left, JSON.left, require('lodash').left]
      globalThis.left = 1; Array.prototype.left = 1; JSON.left = 1; require('lodash').left = 1
      Object.prototype.toJSON = () => 'taken'
      delete Object.prototype.toJSON
      return before`
    for (const workspaceId of ['w1', 'w1', 'w2', 'w1'])
      expect(await resultOf(code, source, {}, { workspaceId })).toEqual(['undefined', null, null, null])
  })
})

describe('a function in TypeScript', () => {
  test('runs without its types, as a body with imports or as a module', async () => {
    const typescript = { language: 'typescript' } as const
    const body = `
      import dayjs from 'dayjs'
      import type { Dayjs } from 'dayjs'
      interface Order { total: number }
      const order: Order = { total: amount as number }
      const day: Dayjs = dayjs('2026-01-02')
      return { ...order, day: day.format('DD') }`
    expect(await resultOf(plain, body, { amount: 2 }, typescript)).toEqual({ total: 2, day: '02' })
    const module = 'export default function hello(name: string): string { return `Hello ${name}` }'
    expect(await resultOf(plain, module, { name: 'Ada' }, typescript)).toBe('Hello Ada')
  })

  const written = [
    "import dayjs from 'dayjs'",
    "import type { Dayjs } from 'dayjs'",
    "enum Kind { small = 'S', large = 'L' }",
    'namespace Prices { export const tax = 2 }',
    'class Order {',
    '  constructor(private readonly kind: Kind, public total: number) {}',
    '  told(day: Dayjs): string { return `${this.kind} ${this.total + Prices.tax} ${day.format("DD")}` }',
    '}',
    'const order = new Order(Kind.large, amount)',
  ]

  test('may have what is more than types: enum, parameters that are properties, namespaces', async () => {
    const typescript = { language: 'typescript' } as const
    const body = [...written, "return order.told(dayjs('2026-01-02'))"].join('\n')
    expect(await resultOf(plain, body, { amount: 2 }, typescript)).toBe('L 4 02')
    const module = [
      ...written.slice(0, -1),
      'export default function tell(amount: number): string {',
      "  return new Order(Kind.small, amount).told(dayjs('2026-01-03'))",
      '}',
    ].join('\n')
    expect(await resultOf(plain, module, { amount: 2 }, typescript)).toBe('S 4 03')
  })

  test.each([
    ['enum A { b }; const c: number = 1; throw new Error("bad")', 'threw', 1, 42],
    ['enum A { b }\n\n  throw new TypeError("bad")', 'threw', 3, 9],
    [`${written.join('\n')}\n\n  throw new TypeError("bad")\nreturn 1`, 'threw', 11, 9],
    [`${written.join('\n')}\nreturn order.total.none.none`, 'threw', 10, 25],
    ["enum A { b }\n  import fs from 'node:fs'\nreturn 1", 'dependencyNotAllowed', 2, 3],
    ["enum A { b }\n  import fs from 'node:fs'", 'dependencyNotAllowed', 2, 3],
    ["enum A { b }\nreturn [\n  require('axios')]", 'dependencyNotAllowed', 3, 3],
    ['enum A { b }\nconst = 1', 'invalidCode', 2, 7],
    ['enum A { b }\nreturn 1 +', 'invalidCode', 2, 11],
  ])('that has them fails at its place: %s', async (source, reason, line, column) => {
    const typescript = { language: 'typescript' } as const
    expect(await failureOf(plain, source, { amount: 1 }, typescript)).toMatchObject({ reason, line, column })
  })
})

describe('fetch of a function', () => {
  test('goes through the one that the caller gives', async () => {
    const source = `
      const answer = await fetch('https://api.example.com/orders', { method: 'post', headers: { a: 'b' }, body: 'é' })
      return [answer.status, answer.ok, answer.headers.get('X-Kind'), await answer.json()]`
    const fetch = async (
      url: string,
      { method, headers, body }: { method: string; headers: [string, string][]; body?: Uint8Array },
    ) =>
      Response.json(
        { url, method, headers, body: new TextDecoder().decode(body) },
        { status: 201, headers: { 'x-kind': 'k' } },
      )
    expect(await resultOf(plain, source, {}, { fetch })).toEqual([
      201,
      true,
      'k',
      {
        url: 'https://api.example.com/orders',
        method: 'POST',
        headers: [
          ['a', 'b'],
          ['content-type', 'text/plain;charset=UTF-8'],
        ],
        body: 'é',
      },
    ])
  })

  test('gives bytes as they are, and says what went wrong', async () => {
    const bytes = new Uint8Array([0, 255, 128, 10])
    const fetch = async (url: string) => {
      if (url.endsWith('bad')) throw new Error('10.0.0.1 is private.')
      return new Response(bytes)
    }
    const source = `
      const answer = await fetch('https://a/good')
      const bytes = [...new Uint8Array(await answer.arrayBuffer())]
      const twice = await answer.text().catch((error) => error.message)
      return [bytes, twice, await fetch('https://a/bad').catch((error) => error.message)]`
    expect(await resultOf(plain, source, {}, { fetch })).toEqual([
      [...bytes],
      'The body was read already: read it once and keep it.',
      '10.0.0.1 is private.',
    ])
    expect((await failureOf(plain, "await fetch('https://a')")).message).toContain(
      'Functions have no network here.',
    )
  })

  test('ends with the call that made it', async () => {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const fetch = (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise<Response>((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          resolve(true)
          reject(signal.reason)
        })
      })
    expect(await resultOf(plain, "void fetch('https://a'); return 1", {}, { fetch })).toBe(1)
    expect(await promise).toBe(true)
  })
})

describe('a failure', () => {
  test.each([
    [
      'const a = 1\n\n  throw new TypeError("bad")',
      'threw',
      3,
      9,
      'The function "hello" threw at line 3, column 9: TypeError: bad',
    ],
    ['const a = () => missing\n  a()', 'threw', 1, 17, 'ReferenceError: missing is not defined'],
    ['throw "text"', 'threw', undefined, undefined, 'threw: text'],
    ['const a = 1\nconst b = ;', 'invalidCode', 2, 11, "can't run, at line 2, column 11: Unexpected token"],
    ['const a = 1; const a = 2', 'invalidCode', 1, 20, 'already been declared'],
    [
      "\n import fs from 'node:fs'",
      'dependencyNotAllowed',
      2,
      2,
      'Functions can\'t import "node:fs": choose from assert, buffer',
    ],
    ["return require('axios')", 'dependencyNotAllowed', 1, 8, 'Functions can\'t import "axios"'],
    ["const name = 'axios'; return require(name)", 'threw', 1, 30, '"axios" can\'t be imported'],
    ['return 1n', 'invalidOutput', undefined, undefined, 'BigInt'],
    ['const a = {}; a.a = a; return a', 'invalidOutput', undefined, undefined, 'circular'],
    ['return "x".repeat(2000)', 'outputTooLarge', undefined, undefined, 'FUNCTIONS_MAX_OUTPUT_BYTES'],
  ])('of %s names the reason and the place', async (source, reason, line, column, sentence) => {
    const failure = await failureOf(opened({ FUNCTIONS_MAX_OUTPUT_BYTES: '1000' }), source)
    expect(failure).toMatchObject({ reason, line, column })
    expect(failure.message).toContain(sentence)
  })

  test('holds the logs that came before it', async () => {
    const { logs } = await failureOf(plain, "console.log('before'); throw new Error('x')")
    expect(logs.map(({ text }) => text)).toEqual(['before'])
  })
})

test('a check says what is wrong and runs nothing', async () => {
  const code = opened({ NODEJS_PACKAGES_WHITELIST_IMPORT: 'dayjs,zod' })
  const check = (source: string, dependencies: string[] = []) =>
    code.check('w1', { language: 'javascript', code: source, dependencies, parameterNames: ['a'] })
  expect(await check('for (;;);\nreturn a')).toEqual([])
  expect(await check('return a +')).toEqual([{ message: 'Unexpected token', line: 1, column: 11 }])
  expect(await check('return 1', ['lodash'])).toEqual([
    {
      message: expect.stringMatching(/^Functions can't import "lodash": choose from assert.* dayjs, zod\.$/),
    },
  ])
  expect(code.libraries).toEqual(['dayjs', 'zod'])
  expect(() => opened({ NODEJS_PACKAGES_WHITELIST_IMPORT: 'axios' })).toThrow(
    'NODEJS_PACKAGES_WHITELIST_IMPORT names axios',
  )
})
