import { setTimeout } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { type Check, moduleErrorNames, runChecks } from './index.ts'

const check = (module: string, probe: Check['probe']): Check => ({ module, driver: 'memory', probe })

describe('running checks', () => {
  test('all that succeed make a ready service', async () => {
    expect(await runChecks([check('cache', async () => 1), check('broker', async () => undefined)])).toEqual({
      status: 'ready',
      modulesReady: [
        { module: 'cache', driver: 'memory' },
        { module: 'broker', driver: 'memory' },
      ],
    })
    expect(await runChecks([])).toEqual({ status: 'ready', modulesReady: [] })
  })

  test('one that fails is named, the others stay ready', async () => {
    class CacheError extends Error {
      override readonly name = 'CacheError'
    }
    const failing = check('cache', () => Promise.reject(new CacheError('No server answers.')))
    expect(await runChecks([failing, check('broker', async () => 1)])).toEqual({
      status: 'error',
      modulesReady: [{ module: 'broker', driver: 'memory' }],
      errors: [{ error: 'CacheError', module: 'cache', driver: 'memory', message: 'No server answers.' }],
    })
  })

  test('one with something to look at is ready, and says what', async () => {
    const slow: Check = { ...check('broker', async () => 1), warnings: async () => ['Late.', 'Full.'] }
    const dumb: Check = { ...check('search', async () => 1), warnings: () => Promise.reject(new Error('no')) }
    const broken: Check = {
      ...check('cache', () => Promise.reject(new Error('no'))),
      warnings: async () => ['Hot.'],
    }
    expect(await runChecks([slow, dumb])).toEqual({
      status: 'ready',
      modulesReady: [
        { module: 'broker', driver: 'memory' },
        { module: 'search', driver: 'memory' },
      ],
      warnings: [
        { module: 'broker', driver: 'memory', message: 'Late.' },
        { module: 'broker', driver: 'memory', message: 'Full.' },
      ],
    })
    expect(await runChecks([broken])).not.toHaveProperty('warnings')
  })

  test('one that hangs is given up, and told so', async () => {
    let signal: AbortSignal | undefined
    const hanging = check('search', (given) => {
      signal = given
      return new Promise(() => {})
    })
    const startedAt = performance.now()
    const report = await runChecks([hanging], 50)
    expect(performance.now() - startedAt).toBePrompt(1000)
    expect(report.errors).toEqual([
      { error: 'ProbeTimeout', module: 'search', driver: 'memory', message: 'No answer within 50 ms.' },
    ])
    expect(signal?.aborted).toBe(true)
  })

  test('probes run side by side', async () => {
    const slow = () => setTimeout(100)
    const startedAt = performance.now()
    await runChecks(Array.from({ length: 20 }, (_, index) => check(`m${index}`, slow)))
    expect(performance.now() - startedAt).toBePrompt(1000)
  })

  test('never rejects, whatever a probe throws, at once or long after the report', async () => {
    const unhandled = vi.fn()
    process.on('unhandledRejection', unhandled)
    try {
      const atOnce = check('a', () => {
        throw new TypeError('x is not a function')
      })
      const noError = check('b', () => Promise.reject('text'))
      const late = check('c', () => setTimeout(60).then(() => Promise.reject(new Error('too late'))))
      const report = await runChecks([atOnce, noError, late], 20)
      expect(report.errors?.map(({ error }) => error)).toEqual(['ProbeError', 'ProbeError', 'ProbeTimeout'])
      await setTimeout(100)
      expect(unhandled).not.toHaveBeenCalled()
    } finally {
      process.off('unhandledRejection', unhandled)
    }
  })

  test('calls every failure by one of the documented names', async () => {
    const named = (name: string) => check(name, () => Promise.reject(Object.assign(new Error('x'), { name })))
    const thrown = [...moduleErrorNames, 'UnreachableError', 'Error', 'AggregateError', 'SomethingNew']
    const report = await runChecks(thrown.map(named))
    expect(report.errors?.map(({ error }) => error)).toEqual([
      ...moduleErrorNames,
      'ServiceUnavailable',
      'ProbeError',
      'ProbeError',
      'ProbeError',
    ])
  })

  test.each([
    [
      'redis://:canary@cache:6379 and postgres://u:can@ary@db/x fail',
      'redis://cache:6379 and postgres://db/x fail',
    ],
    ['refused: password=canary host=db', 'refused: password=*** host=db'],
    ['refused: {"password":"canary canary"}', 'refused: {"password":***}'],
    ['sent Authorization: Bearer canary.canary', 'sent Authorization: ***'],
    ['token eyJhbGciOi.canary.canary expired', 'token *** expired'],
    ['near: insert into t (secret) values (canary)', 'near: [statement]'],
    ['near: SELECT canary\nFROM users', 'near: [statement]'],
    ['it failed\n    at probe (/srv/canary.ts:1:1)', 'it failed'],
    ['', 'The probe failed.'],
  ])('shows no credential, SQL or stack: %s', async (message, shown) => {
    const report = await runChecks([check('a', () => Promise.reject(new Error(message)))])
    expect(report.errors?.[0]?.message).toBe(shown)
  })

  test('has no endless message', async () => {
    const report = await runChecks([
      check('a', () => Promise.reject(new Error('x'.repeat(100_000)))),
      check('b', () => Promise.reject(new AggregateError([new Error('refused')]))),
    ])
    expect(report.errors?.map(({ message }) => message)).toEqual(['x'.repeat(500), 'The probe failed.'])
  })
})
