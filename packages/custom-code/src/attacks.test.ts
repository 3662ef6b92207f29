import { describe, expect, test } from 'vitest'
import { call, failureOf, opened, resultOf, shared } from '../test/opened.ts'

const plain = shared()

describe('a function does not get out', () => {
  test.each([
    [
      'by the constructor of a function',
      "return [].constructor.constructor('return typeof process')()",
      'undefined',
    ],
    [
      'by the constructor of what it is given',
      "return parameters.constructor.constructor('return typeof process')()",
      'undefined',
    ],
    [
      'by what called it',
      `let callers = 0
      const f = function () {
        try { for (let caller = f.caller; caller; caller = caller.caller) callers += 1 } catch {}
      }
      f()
      return callers > 1 ? "more" : "own"`,
      'own',
    ],
    ['by what logs', "return console.log.constructor('return typeof process')()", 'undefined'],
    ['by fetch', "return fetch.constructor('return typeof process')()", 'undefined'],
    [
      'by an error of the platform',
      `try { crypto.getRandomValues(new Uint8Array(70000)) } catch (error) {
        return error.constructor.constructor('return typeof process')()
      }`,
      'undefined',
    ],
    ['by import', "return import('node:fs')", 'refused'],
    [
      'by the stack trace API',
      `Error.prepareStackTrace = (_, sites) => sites.map((site) => typeof site.getThis()).join()
      return String(new Error().stack)`,
      /^(undefined|object|,)*$/,
    ],
    [
      'by a name of the platform',
      `const names = Object.getOwnPropertyNames(globalThis)
      return names.filter((name) => /platform|ivm|isolated|require|process|[$]/.test(name)).join()`,
      '',
    ],
  ])('%s', async (_, source, expected) => {
    const said = source.includes("import('node:fs')")
      ? (await failureOf(plain, source)).reason
      : await resultOf(plain, source)
    if (expected === 'refused') expect(said).toBe('dependencyNotAllowed')
    else if (typeof expected === 'string') expect(said).toBe(expected)
    else expect(said).toMatch(expected)
  })

  test('by what it changes of JSON, promises or objects: its result is text in its own words', async () => {
    const source = `
      JSON.stringify = () => '{"forged":true}'
      Object.prototype.then = undefined
      Promise.prototype.then = function () { return this }
      String.prototype.slice = () => { throw 1 }
      return { own: true }`
    const said = await call(plain, source, {}, { timeoutMs: 1500 }).then(
      ({ result }) => result,
      ({ reason }) => reason,
    )
    expect([{ own: true }, { forged: true }, 'timedOut', 'threw']).toContainEqual(said)
    expect(await resultOf(plain, 'return { own: true }')).toEqual({ own: true })
  })

  test('by a prototype in its result', async () => {
    const result = (await resultOf(
      plain,
      `return JSON.parse('{"__proto__": {"polluted": 1}, "a": 1}')`,
    )) as object
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  test.each([
    ['a proxy', 'return new Proxy({}, { get() { throw new Error("trap") }, ownKeys: () => ["a"] })', 'threw'],
    ['a getter', 'return { get a() { throw new Error("getter") } }', 'invalidOutput'],
    ['toJSON', 'return { toJSON() { throw new Error("toJSON") } }', 'invalidOutput'],
    [
      'a thrown object without a text',
      'throw { toString() { throw 1 }, get message() { throw 1 }, get stack() { throw 1 } }',
      'threw',
    ],
    ['a thrown symbol', 'throw Symbol("x")', 'threw'],
    ['a thrown null', 'throw null', 'threw'],
    ['deep recursion', 'const f = () => f() + 1; return f()', 'threw'],
    ['a deep result', 'let a = {}; for (let n = 0; n < 100000; n += 1) a = { a }; return a', 'invalidOutput'],
    ['a text that is too long', "let s = 'x'; for (;;) s += s", 'threw'],
  ])('by %s', async (_, source, reason) => {
    expect(await failureOf(plain, source)).toMatchObject({ reason })
  })
})

describe('a function that takes too much fails alone:', () => {
  const limited = { FUNCTIONS_RUN_TIMEOUT: '3000', NODE_WORKER_MAX_OLD_GENERATION_SIZE_MB: '32' }

  test.each([
    ['an endless loop', 'for (;;);'],
    ['a promise that never resolves', 'await new Promise(() => {})'],
    ['an endless loop after a wait', 'await new Promise((resolve) => setTimeout(resolve, 1)); for (;;);'],
    ['a pattern that backtracks', "return /^(a+)+$/.test('a'.repeat(50) + 'b')"],
    ['an endless toString', 'throw { get message() { for (;;); } }'],
    ['an endless getter', 'return { get a() { for (;;); } }'],
    ['logs without end', "for (;;) console.log('flood'.repeat(100))"],
    ['timers without end', 'for (;;) await new Promise((resolve) => setTimeout(resolve, 0))'],
  ])('%s', async (_, source) => {
    const code = opened(limited)
    const failure = await failureOf(code, source, {}, { timeoutMs: 400 })
    expect(failure.reason).toBe('timedOut')
    expect(failure.durationMs).toBePrompt(2500)
    expect(await resultOf(code, 'return 1')).toBe(1)
  })

  test.each([
    ['lists', 'const all = []; for (;;) all.push(new Array(1e5).fill(1))'],
    ['one list', 'return new Array(1e9).fill(1).length'],
    ['texts', "const all = []; for (;;) all.push('x'.repeat(1e6).split('').join('y'))"],
    ['a map', 'const all = new Map(); for (let n = 0; ; n += 1) all.set(n, { n })'],
    ['a large result', "return 'x'.repeat(5e8).split('')"],
  ])('%s that fill the memory', async (_, source) => {
    const code = opened({ ...limited, FUNCTIONS_RUN_TIMEOUT: '20000' })
    const failure = await failureOf(code, source)
    expect(failure.reason).toBe('outOfMemory')
    expect(failure.message).toContain('32 MB of NODE_WORKER_MAX_OLD_GENERATION_SIZE_MB')
    expect(await resultOf(code, 'return 1')).toBe(1)
  })

  test('bytes beyond its memory are refused inside', async () => {
    const code = opened(limited)
    const failure = await failureOf(code, 'const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1))')
    expect(['threw', 'outOfMemory']).toContain(failure.reason)
    expect(await resultOf(code, 'return 1')).toBe(1)
  })

  test('microtasks without end', async () => {
    const code = opened(limited)
    const source = 'await new Promise(() => { const again = () => Promise.resolve().then(again); again() })'
    expect(['timedOut', 'outOfMemory']).toContain(
      (await failureOf(code, source, {}, { timeoutMs: 1000 })).reason,
    )
    expect(await resultOf(code, 'return 1')).toBe(1)
  })

  test('a processor', async () => {
    const code = opened({ FUNCTIONS_CPU_TIMEOUT: '300' })
    const failure = await failureOf(code, 'for (;;);')
    expect(failure.message).toContain('FUNCTIONS_CPU_TIMEOUT')
  })

  test('work that goes on after its answer is ended, and the next call is not held up', async () => {
    const code = opened(limited)
    const source = 'const again = () => Promise.resolve().then(again); setTimeout(again, 0); return 1'
    expect(await resultOf(code, source)).toBe(1)
    expect(await resultOf(code, 'return 2')).toBe(2)
  })
})
