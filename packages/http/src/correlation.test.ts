import { describe, expect, test } from 'vitest'
import { correlationIdOf, traceIdOf } from './index.ts'

const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
const made = /^[0-9a-f]{32}$/

test.each([['12345678'], ['a.B_c-9x'], ['x'.repeat(64)]])(
  'the correlation id %s of a client is kept',
  (given) => {
    expect(correlationIdOf(given, trace)).toBe(given)
  },
)

test.each([
  ['1234567'],
  ['x'.repeat(65)],
  ['a b c d e'],
  ['<script>'],
  ['ab,cd,ef,gh'],
  ['abcdefgh\n'],
  [''],
  [['12345678', 'x']],
  [undefined],
])('the correlation id %j is not: a new one is made', (given) => {
  expect(correlationIdOf(given, undefined)).toMatch(made)
})

test('without one the trace goes on', () => {
  expect(correlationIdOf(undefined, trace)).toBe('4bf92f3577b34da6a3ce929d0e0e4736')
  expect(correlationIdOf(undefined, `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`)).not.toMatch(/^0+$/)
})

test('every new one is another', () => {
  expect(new Set(Array.from({ length: 1000 }, () => correlationIdOf(undefined, undefined))).size).toBe(1000)
})

describe('the trace of a request', () => {
  const trace = '0af7651916cd43dd8448eb211c80319c'

  test('is that of its traceparent, else its correlation id where that has the form of one', () => {
    expect(traceIdOf('my-own-id', `00-${trace}-b7ad6b7169203331-01`)).toBe(trace)
    expect(traceIdOf(trace, `00-${trace}-b7ad6b7169203331-01`)).toBeUndefined()
    expect(traceIdOf(trace, undefined)).toBeUndefined()
    expect(traceIdOf(trace, 'no traceparent')).toBeUndefined()
    expect(correlationIdOf(undefined, undefined)).toMatch(/^[0-9a-f]{32}$/)
  })

  test('is not known otherwise', () => {
    for (const id of ['my-own-id', '0'.repeat(32), 'A'.repeat(32)])
      expect(traceIdOf(id, undefined)).toBeUndefined()
  })
})
