import { expect, test } from 'vitest'
import { isSameUrlPattern, urlPartsOf } from './url-pattern.ts'

test('a pattern is texts and parameters, which have a name', () => {
  expect(urlPartsOf('/users/:id/a:b/:/*rest/')).toEqual([
    { literal: 'users' },
    { name: 'id', many: false },
    { literal: 'a:b' },
    { literal: ':' },
    { name: 'rest', many: true },
  ])
})

test.each([
  ['users/:id', '/users/:name/', true],
  ['files/*path', 'files/*rest', true],
  ['files/*path', 'files/:path', false],
  ['users/:', 'users/:id', false],
  ['a', 'b', false],
])('%s and %s take the same URLs: %s', (a, b, expected) => {
  expect(isSameUrlPattern(a, b)).toBe(expected)
})
