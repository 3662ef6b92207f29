import type { Failure } from '@platform/kernel'
import type { ProblemDetail } from '@platform/source-texts'
import { describe, expect, it } from 'vitest'
import { readDefinition } from './read-definition.ts'

/** What is wrong with an automation that has these lines. */
function problemsOf(lines: string, steps = 'do: []'): string[] {
  try {
    readDefinition({ text: `${steps}\n${lines}`, mediaType: 'yaml' }, true)
    return []
  } catch (error) {
    return ((error as Failure).details as ProblemDetail[]).map(({ message }) => message)
  }
}

describe('what an automation says about its queued runs', () => {
  it.each([
    ['priority: -100'],
    ['retry:'],
    ['retry: { attempts: 1 }'],
    ['retry: { attempts: 20, backoff: 3, on: [any] }'],
    ['retry: { attempts: 2, backoff: 1.5m, on: [5xx, 429, timeout, ServiceUnavailable] }'],
    ['retry: { attempts: 2, backoff: { initial: 1s, factor: 3, max: 1h, jitter: false } }'],
    ['concurrency: { limit: 1 }'],
    ['concurrency: { limit: 1000, key: "{{payload.customer}}", strategy: cancel-oldest }'],
    ['debounce: { period: 300ms }'],
    ['debounce: { period: 5, key: "{{payload.document}}", max: 1m }'],
  ])('can be %s', (lines) => {
    expect(problemsOf(lines)).toEqual([])
  })

  it.each([
    ['priority: 101', 'priority is too large: at most 100.'],
    ['priority: high', 'priority must be a number.'],
    ['retry: true', 'retry must be a set of named fields.'],
    ['retry: {}', 'retry.attempts is missing: it must be a number.'],
    ['retry: { attempts: 0 }', 'retry.attempts is too small: at least 1.'],
    ['retry: { attempts: 2, times: 3 }', 'retry.times is not a field of an automation.retry.'],
    ['retry: { attempts: 2, backoff: 1 hour }', 'retry.backoff must be a number with ms, s, m, h or d.'],
    [
      'retry: { attempts: 2, backoff: { initial: 1 hour } }',
      'retry.backoff.initial must be a number with ms, s, m, h or d.',
    ],
    [
      'retry: { attempts: 2, backoff: { start: 1s } }',
      'retry.backoff.start is not a field of an automation.retry.backoff.',
    ],
    ['retry: { attempts: 2, on: [200] }', 'retry.on[0] is too small: at least 400.'],
    [
      'retry: { attempts: 2, on: [sometimes] }',
      'retry.on[0] must be the name of a failure, a status such as 503, or any, network, timeout, 4xx, 5xx.',
    ],
    [
      'retry: { attempts: 2, on: [] }',
      'retry.on is empty: name what is tried again, or leave it out for any failure.',
    ],
    [
      'debounce: { period: 5s, max: 1s }',
      'debounce.max is shorter than debounce.period: make it longer, or leave it out.',
    ],
    ['concurrency: 1', 'concurrency must be a set of named fields.'],
    ['concurrency: { limit: 0 }', 'concurrency.limit is too small: at least 1.'],
    [
      'concurrency: { limit: 1, strategy: wait }',
      'concurrency.strategy must be "queue" or "cancel-oldest" or "drop".',
    ],
    ['debounce: 3', 'debounce must be a set of named fields.'],
    ['debounce: {}', 'debounce.period is missing: it must be a number.'],
    ['debounce: { period: 2d }', 'debounce.period must be from 1 ms to 1 d.'],
    ['debounce: { period: 1s, max: 0 }', 'debounce.max must be from 1 ms to 1 d.'],
    ['debounce: { period: 1s, key: "{{a" }', expect.stringContaining('debounce.key has a mistake: ')],
    ['concurrency: { limit: 1, key: "{{a" }', expect.stringContaining('concurrency.key has a mistake: ')],
  ])('is refused with a sentence for %s', (lines, message) => {
    expect(problemsOf(lines)).toEqual([message])
  })
})

describe('retry beside an instruction', () => {
  const step = (retry: string) => problemsOf('', `do:\n- set: { name: a, value: 1 }\n  ${retry}`)

  it.each([
    ['retry: { attempts: 3 }'],
    ['retry: { attempts: 3, backoff: 2s, on: [network, 5xx, 429] }'],
    ['retry:'],
  ])('can be %s', (retry) => {
    expect(step(retry)).toEqual([])
  })

  it.each([
    ['retry: true', 'do[0].retry must be a set of named fields.'],
    ['retry: { backoff: 1s }', 'do[0].retry.attempts is missing: it must be a number.'],
    [
      'retry: { attempts: 2, on: [] }',
      'do[0].retry.on is empty: name what is tried again, or leave it out for any failure.',
    ],
    ['retry: { attempts: "{{a}}" }', 'do[0].retry.attempts must be a number.'],
    ['retry: { attempts: 2, times: 3 }', 'do[0].retry.times is not a field of retry.'],
    [
      'retries: 3',
      expect.stringContaining('do[0] holds 2 fields (set, retries) but a step is one instruction'),
    ],
  ])('is refused with a sentence for %s', (retry, message) => {
    expect(step(retry)).toEqual([message])
  })
})

describe('the filters of a wait', () => {
  const wait = (filters: string) =>
    problemsOf('', `do:\n- wait: { oneOf: [{ event: a, filters: ${filters} }] }`)

  it.each([
    ['{ "payload.n": 1 }'],
    ['{ "payload.n": { $gt: 1, $lt: 5 }, "payload.text": { $regex: "^a" } }'],
    ['{ "payload.text": { $regex: "({{text}}" } }'],
    ['{ $or: [{ "payload.n": 1 }, { "payload.n": 2 }] }'],
    ['{ "{{path}}": 1 }'],
  ])('can be %s', (filters) => {
    expect(wait(filters)).toEqual([])
  })

  it.each([
    ['{ $foo: 1 }', 'filters.$foo'],
    ['{ "payload.n": { $gt: 1, $foo: 1 } }', 'filters["payload.n"]'],
    ['{ "payload.n": { $regex: "(a" } }', 'filters["payload.n"]'],
  ])('are refused when they are %s', (filters, place) => {
    const [message, ...others] = wait(filters)
    expect(message).toContain(`do[0].wait.oneOf[0].${place} is no filter: `)
    expect(others).toEqual([])
  })
})
