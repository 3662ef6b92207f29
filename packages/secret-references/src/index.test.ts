import { describe, expect, test } from 'vitest'
import { concealer, fillBody, referencesIn } from './index.ts'

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
    ['application/json', ` ${reference}\n`, ' a "b" & c\n'],
    ['application/json', `${reference}${reference}`, 'a \\"b\\" & ca \\"b\\" & c'],
  ])('become values as a body of %s has them', (type, text, filled) => {
    expect(fillBody(text, values, type)).toBe(filled)
    expect(fillBody(text, new Map(), type)).toBe(text)
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

  const secret = 'ö/a b\'c+"<sekrit>'
  const conceal = concealer(new Map([[BYTES, secret]]), new Map([[BYTES, 'k1']]), ['made-of-it'])

  test.each([
    ['a form', new URLSearchParams({ a: secret }).toString()],
    ['an address', new URL(`http://a.test/?a=${encodeURIComponent(secret)}`).href],
    ['JSON as PHP writes it', JSON.stringify(secret).replaceAll('/', '\\/')],
    ['JSON in ASCII', JSON.stringify(secret).replaceAll('ö', '\\u00f6')],
    ['a page', secret.replace('<', '&lt;').replace('>', '&gt;').replace('"', '&quot;').replace("'", '&#39;')],
    ['bytes', Buffer.from(secret).toString('latin1')],
  ])('are found as %s has them', (_, text) => {
    expect(conceal(text)).toContain(reference)
    expect(conceal({ [text]: 1 })).toEqual({ [String(conceal(text))]: 1 })
    expect(String(conceal(text))).not.toContain('sekrit')
  })

  test.each(['', 'a', 'ab', 'abc'])('are hidden in base64 of what has them behind %j', (before) => {
    for (const encoding of ['base64', 'base64url'] as const) {
      const coded = Buffer.from(`${before}${secret}after`).toString(encoding)
      const shown = String(conceal(coded))
      expect(shown).toContain('REDACTED')
      for (const part of shown.split('REDACTED'))
        expect(Buffer.from(part, encoding).toString()).not.toContain('sek')
    }
  })

  test('are hidden in what was made of them, and short ones are in no base64', () => {
    expect(conceal(['x made-of-it'])).toEqual(['x REDACTED'])
    const short = concealer(new Map([[BYTES, 'abcd']]), new Map([[BYTES, 'k1']]))
    expect(short('YWJjZA==')).toBe('YWJjZA==')
  })
})
