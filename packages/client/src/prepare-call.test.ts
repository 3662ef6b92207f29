import { describe, expect, test } from 'vitest'
import { fillPath } from './index.ts'

describe('filling a path', () => {
  test('keeps the slashes of a wildcard only', () => {
    expect(fillPath('/a/:b/*c', { b: 'x/y?#', c: '1/2 3/é' })).toBe('/a/x%2Fy%3F%23/1/2%203/%C3%A9')
    expect(fillPath('/a/:b', { b: ':c' })).toBe('/a/%3Ac')
  })

  test.each([['..'], ['.'], ['a\ud800']])('refuses %j, which no path can carry', (value) => {
    expect(() => fillPath('/a/:b', { b: value })).toThrow('The path parameter b is not valid.')
    expect(() => fillPath('/a/*b', { b: `x/${value}/y` })).toThrow('The path parameter b is not valid.')
  })

  test('names a missing parameter', () => {
    expect(() => fillPath('/a/:b', {})).toThrow('The path /a/:b needs the parameter b.')
  })
})
