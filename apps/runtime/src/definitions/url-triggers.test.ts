import { describe, expect, test } from 'vitest'
import { compileUrls } from './url-triggers.ts'

const match = compileUrls(
  [
    'greet',
    'users/:id',
    'users/me',
    '/files/*path',
    'a:b',
    'x/*rest/end',
    'users/:other',
    'deep/*a/*b/:c',
    '/v1/:p/:q/',
  ].map((path) => ({ slug: path, path })),
)

describe('a URL trigger', () => {
  test.each([
    ['greet', 'greet', {}],
    ['/greet/', 'greet', {}],
    ['users/me', 'users/me', {}],
    ['users/7', 'users/:id', { id: '7' }],
    ['users/a b', 'users/:id', { id: 'a b' }],
    ['files/a/b.txt', '/files/*path', { path: 'a/b.txt' }],
    ['a:b', 'a:b', {}],
    ['x/1/2/end', 'x/*rest/end', { rest: '1/2' }],
    ['x/end/end', 'x/*rest/end', { rest: 'end' }],
    ['deep/1/2/3/4', 'deep/*a/*b/:c', { a: '1', b: '2/3', c: '4' }],
    ['v1/x/y', '/v1/:p/:q/', { p: 'x', q: 'y' }],
  ])('%s finds %s', (path, slug, pathParams) => expect(match(path)).toEqual({ slug, pathParams }))

  test.each(['', 'users', 'users/', 'users/1/2', 'files', 'files/', 'x/end', 'A:b', 'Greet', 'deep/1/2'])(
    '%s finds nothing',
    (path) => expect(match(path)).toBeUndefined(),
  )

  test('stays fast for paths made to be slow', () => {
    const slow = compileUrls([{ slug: 's', path: '*a/*b/*c/*d/*e/end' }])
    const startedAt = performance.now()
    expect(slow('x/'.repeat(900))).toBeUndefined()
    expect(performance.now() - startedAt).toBeLessThan(500)
  })
})
