import { describe, expect, test } from 'vitest'
import { nextLink, nextPage } from './next-page.ts'

describe('the link to the next page', () => {
  test('keeps the path and the rest of the query', () => {
    expect(nextPage('/v2/workspaces?limit=2&page=1&name=a%20b', 1)).toBe(
      '</v2/workspaces?limit=2&page=2&name=a+b>; rel="next"',
    )
  })

  test('is there for a first page without a query', () => {
    expect(nextPage('/v2/workspaces', 0)).toBe('</v2/workspaces?page=1>; rel="next"')
  })

  test('goes on from a place instead of a number where there is one', () => {
    expect(nextLink('/v2/events?limit=2&page=1&beforeId=a', 'beforeId', 'b')).toBe(
      '</v2/events?limit=2&beforeId=b>; rel="next"',
    )
  })
})
