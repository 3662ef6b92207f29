import { Failure } from '@platform/kernel'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { parseQuery } from './index.ts'
import { validate } from './validation.ts'

const problemOf = (url: string) => {
  try {
    parseQuery(url)
    return undefined
  } catch (error) {
    if (error instanceof Failure && error.status === 400) return error.message
    throw error
  }
}
const many = (count: number, name: (at: number) => string) =>
  `/?${Array.from({ length: count }, (_, at) => `${name(at)}=1`).join('&')}`

describe('a query', () => {
  test('is read by name; a name given twice has a list', () => {
    expect({ ...parseQuery('/a?b=1&c=%C3%A9&b=2&d') }).toEqual({ b: ['1', '2'], c: 'é', d: '' })
    expect({ ...parseQuery('/a') }).toEqual({})
  })

  test('never reaches the names of Object', () => {
    const query = parseQuery('/?__proto__=1&constructor=2&toString=3')
    expect(Object.getPrototypeOf(query)).toBeNull()
    expect(Object.keys(query)).toEqual(['__proto__', 'constructor', 'toString'])
    expect('polluted' in {}).toBe(false)
  })

  test('has at most 100 parameters', () => {
    expect(problemOf(many(100, (at) => `p${at}`))).toBeUndefined()
    expect(problemOf(many(101, (at) => `p${at}`))).toBe('The query has more than 100 parameters.')
    expect(problemOf(many(5000, () => 'same'))).toBe('The query has more than 100 parameters.')
  })

  test.each(['/?a=%00', '/?%00=a'])('holds no NUL: %s', (url) => {
    expect(problemOf(url)).toBe('The query holds a NUL character.')
  })
})

describe('a date that is none', () => {
  test.each([
    [z.iso.datetime({ offset: true }), 'must be an instant such as 2026-01-31T10:00:00Z'],
    [z.iso.date(), 'must be a date such as 2026-01-31'],
    [z.iso.datetime({ offset: true }).optional(), 'must be an instant such as 2026-01-31T10:00:00Z'],
  ])('is refused with an example', (date, message) => {
    const schema = z.strictObject({ from: date })
    expect(() => validate(schema, { from: 'yesterday' }, 'query')).toThrow(`query.from: ${message}.`)
  })
})
