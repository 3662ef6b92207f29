import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestDatabase } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testFunctions } from '../../test/functions.ts'
import { testModules } from '../../test/modules.ts'
import { compiled, runMain, runsDatabase, type TestFunctions, testEngine } from '../../test/testing.ts'
import type { Effects } from '../automations/effect-buffer.ts'
import type { Engine } from '../automations/engine.ts'
import type { Segment } from '../automations/journal-entries.ts'
import type { ModuleStores } from '../modules/module.ts'

let functions: ReturnType<typeof testFunctions>
let engine: Engine
let database: TestDatabase
let stores: ModuleStores
/** Answers what it was asked. */
let mirror: Server
let address: string
const asked: (string | undefined)[] = []

beforeAll(async () => {
  functions = testFunctions()
  engine = testEngine({ functions })
  database = await runsDatabase()
  stores = testModules(database)
  mirror = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece)
    const { url, headers } = request
    asked.push(url)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ url, headers, body: Buffer.concat(pieces).toString() }))
  })
  await new Promise<void>((resolve) => mirror.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}`
})
afterAll(async () => {
  mirror.close()
  await functions[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const declared: TestFunctions = {
  add: {
    language: 'typescript',
    code: 'return (a as number) + (b as number)',
    parameters: { a: { type: 'number' }, b: { type: 'number', required: true } },
    validateParameters: true,
  },
  fail: 'const nothing = 1\nthrow new Error("not a bit")',
  say: 'console.log("said"); return "done"',
  endless: { language: 'javascript', code: 'for (;;) {}', timeout: '200ms' },
  ask: {
    language: 'javascript',
    code: 'const answer = await fetch(url, { method, headers, body })\nreturn await answer.json()',
    parameters: { url: {}, method: {}, headers: {}, body: {} },
  },
}

type Step = Record<string, unknown>

const outcomeOf = (steps: Step[], payload: Record<string, unknown> = {}, order = {}) =>
  runMain(compiled({ main: { do: steps, output: '{{out}}' } }, {}, stores, declared), payload, order, engine)

const call = (name: string, parameters: unknown = {}, more: Step = {}): Step => ({
  'Custom Code.run': { function: name, parameters, output: 'out', ...more },
})

describe('Custom Code.run', () => {
  test('calls a function that is declared, by its name, by a template and by the shorter key', async () => {
    expect((await outcomeOf([call('add', { a: 2, b: 3 })])).output).toBe(5)
    expect(
      (await outcomeOf([call('{{name}}', '{{given}}')], { name: 'add', given: { a: 1, b: 1 } })).output,
    ).toBe(2)
    expect((await outcomeOf([{ 'Custom Code.add': { a: 2, b: 2, output: 'out' } }])).output).toBe(4)
  })

  test.each<[string, Step, string, RegExp]>([
    [
      'a function that is not declared',
      call('missing'),
      'ObjectNotFoundError',
      /^There is no function "missing" in/,
    ],
    ['parameters that are none', call('add', [1]), 'InvalidArgumentsError', /must be an object\.$/],
    ['parameters it does not take', call('add', { a: 1 }), 'InvalidArgumentsError', /^Invalid arguments/],
    ['what it throws', call('fail'), 'FunctionError', /not a bit/],
    ['one that never ends', call('endless'), 'FunctionError', /.+\.$/],
    [
      'a way that is none',
      call('add', {}, { onError: '{{none}}' }),
      'InvalidInstructionError',
      /^Custom Code\.run\.onError/,
    ],
  ])('fails at %s', async (_, step, name, message) => {
    const { failed, events } = await outcomeOf([step], { none: 'later' })
    expect(failed?.failure).toMatchObject({ name, message: expect.stringMatching(message) })
    expect(failed?.instruction).toBe('do[0].Custom Code.run')
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(1)
  })

  test('names the line of the code, is caught by try, and goes on where onError says so', async () => {
    const caught = {
      try: { do: [call('fail')], catch: [{ set: { name: 'out', value: '{{$error.details}}' } }] },
    }
    expect((await outcomeOf([caught])).output).toMatchObject({ function: 'fail', reason: 'threw', line: 2 })
    const gone = await outcomeOf([call('fail', {}, { onError: 'continue' })])
    expect(gone.output).toMatchObject({ error: 'FunctionError', details: { function: 'fail' } })
  })

  test('is tried again where retry says so', async () => {
    const { output, failed } = await outcomeOf(
      [{ ...call('add', { a: '{{a}}', b: 1 }), retry: { attempts: 2, backoff: 0 } }],
      { a: 1 },
    )
    expect([output, failed]).toEqual([2, undefined])
  })

  test('fetches as automations do: guarded, with a key that is the same when the run is done again', async () => {
    const step = call('ask', { url: `${address}/a`, method: 'POST', headers: { 'x-a': '1' }, body: 'b' })
    const segments = [
      { try: 0, segment: 0, upto: 0, reads: 0, place: 0, entries: JSON.stringify([['seed', 'of the test']]) },
    ]
    const again = { repeatable: true, segments }
    const [first, second] = [await outcomeOf([step], {}, again), await outcomeOf([step], {}, again)]
    expect(first?.output).toMatchObject({
      url: '/a',
      body: 'b',
      headers: { 'x-a': '1', 'user-agent': 'test' },
    })
    const keyOf = (output: unknown) => Object(output).headers?.['idempotency-key']
    expect(keyOf(first?.output)).toMatch(/^[0-9a-f-]{36}-1$/)
    expect(keyOf(second?.output)).toBe(keyOf(first?.output))
    const refused = await outcomeOf([call('ask', { url: 'http://10.1.2.3/' })])
    expect(refused.failed?.failure).toMatchObject({
      name: 'FunctionError',
      message: expect.stringContaining('FETCH_ALLOWED_HOSTS'),
    })
  })

  test('keeps what came of it with the run: done again, nothing is called', async () => {
    const segments: Segment[] = []
    const commit = async ({ segment }: Effects) => void (segment && segments.push(segment))
    const steps = [call('ask', { url: `${address}/once` }), { fetch: { url: address, output: 'then' } }]
    const first = await outcomeOf(steps, {}, { repeatable: true, commit })
    expect(first.failed).toBeUndefined()
    const again = await outcomeOf(steps, {}, { repeatable: true, segments })
    expect(again.output).toEqual(first.output)
    expect(asked.filter((url) => url === '/once')).toHaveLength(1)
  })

  test('puts secrets in where a function fetches, and nowhere else', async () => {
    const secret = 'sk-very-secret-of-the-test'
    const set = {
      run: {
        module: 'secrets',
        function: 'set',
        parameters: { scope: 'workspace', name: 'key', value: secret },
      },
    }
    const get = {
      run: {
        module: 'secrets',
        function: 'get',
        parameters: { scope: 'workspace', name: 'key' },
        output: 'key',
      },
    }
    const ask = call('ask', { url: address, headers: { authorization: 'Bearer {{key}}' } })
    const { output, failed } = await outcomeOf([set, get, ask])
    expect(failed).toBeUndefined()
    expect(JSON.stringify(output)).not.toContain(secret)
    expect(JSON.stringify(output)).toContain('$secret:')
  })

  test('sends the secrets that its parameters refer to along with a call of functions that run elsewhere', async () => {
    const bodies: Record<string, unknown>[] = []
    const elsewhere = createServer(async (request, response) => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece)
      bodies.push(JSON.parse(Buffer.concat(pieces).toString()))
      response.end('{"result":"sk-2-of-the-test!","logs":[],"durationMs":1}')
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
    await using apart = testFunctions({ url })
    const secret = (name: string, more: Step) => ({
      run: {
        module: 'secrets',
        function: name,
        parameters: { scope: 'workspace', name: 'two', ...more },
        output: 'key',
      },
    })
    const steps = [
      secret('set', { value: 'sk-2-of-the-test' }),
      call('ask', { url: 'https://x.test', headers: { a: '{{key}}' } }),
      { set: { name: 'old', value: '{{key}}' } },
      secret('delete', {}),
      call('ask', { url: '{{old}}' }),
      call('say'),
    ]
    const main = compiled({ main: { do: steps, output: '{{out}}' } }, {}, stores, declared)
    const { failed } = await runMain(main, {}, {}, testEngine({ functions: apart }))
    elsewhere.close()
    expect(failed).toBeUndefined()
    const [first, second, third] = bodies
    expect(first).toMatchObject({
      parameters: { headers: { a: expect.stringMatching(/^\$secret:/) } },
      secrets: [{ keyId: 'test', bytes: expect.any(String), value: 'sk-2-of-the-test' }],
    })
    expect(second?.secrets).toEqual([
      { keyId: 'test', bytes: expect.any(String), gone: expect.stringContaining('is not there any more') },
    ])
    expect(third?.secrets).toEqual([])
  })
})
