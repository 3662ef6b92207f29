import { describe, expect, test } from 'vitest'
import { bodyShape, concealer, fillText, referencesIn } from './index.ts'

const BYTES = 'b'.repeat(44)
const reference = `$secret:k1.${BYTES}.`
const values = new Map([[BYTES, 'a "b" & c']])

describe('references in texts', () => {
  test('are found as they are and in percent signs, and nothing that only looks like one', () => {
    const texts = [`x ${reference}y`, `%24secret%3Ak1.${'c'.repeat(44)}.`, '$secret:k1.short.']
    expect([...referencesIn(texts)]).toEqual([
      [BYTES, 'k1'],
      ['c'.repeat(44), 'k1'],
    ])
  })

  test.each([
    ['application/json', `{"a":"${reference}"}`, '{"a":"a \\"b\\" & c"}'],
    ['application/x-www-form-urlencoded', `a=${encodeURIComponent(reference)}`, 'a=a%20%22b%22%20%26%20c'],
    ['text/plain', reference, 'a "b" & c'],
    [null, reference, 'a "b" & c'],
  ])('become values as a body of %s has them', (type, text, filled) => {
    expect(fillText(text, values, bodyShape(type))).toBe(filled)
    expect(fillText(text, new Map(), bodyShape(type))).toBe(text)
  })

  test('take the place of values in what comes back, however they are written', () => {
    const conceal = concealer(values, new Map([[BYTES, 'k1']]))
    const answer = { plain: 'a "b" & c', list: ['xa%20%22b%22%20%26%20cx'], json: '{"a":"a \\"b\\" & c"}' }
    expect(conceal(answer)).toEqual({
      plain: reference,
      list: [`x${reference}x`],
      json: `{"a":"${reference}"}`,
    })
    const short = concealer(new Map([[BYTES, 'ab']]), new Map([[BYTES, 'k1']]))
    expect(short(['ab', 'cabs'])).toEqual([reference, 'cabs'])
  })
})
