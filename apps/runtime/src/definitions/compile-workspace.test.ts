import { describe, expect, test } from 'vitest'
import { compileUrls } from './compile-workspace.ts'

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

  test('takes the same path in the same way as before where several stars were saved', () => {
    const many = compileUrls([{ slug: 's', path: '*a/x/:b/*c/y/z/*d' }])
    expect(many('1/x/2/x/3/4/y/z/5/6')?.pathParams).toEqual({ a: '1', b: '2', c: 'x/3/4', d: '5/6' })
    expect(many('1/x/2/3/y/4/z/5')).toBeUndefined()
    expect(many('x/1/2/y/z/3')).toBeUndefined()
  })

  test.each(['*a/*b/*c/*d/*e/end', '*a/x/x/x/y/*b/x/x/x/y/*c/end'])(
    'costs a path made to be slow about as much as another, with 2,000 patterns such as %s',
    (pattern) => {
      const path = 'x/'.repeat(900)
      const slow = compileUrls(Array.from({ length: 2000 }, (_, at) => ({ slug: `${at}`, path: pattern })))
      const took = Array.from({ length: 5 }, () => {
        const startedAt = performance.now()
        expect(slow(path)).toBeUndefined()
        return performance.now() - startedAt
      })
      expect(Math.min(...took)).toBePrompt(50)
    },
  )

  test('finds the first of 2,000 long patterns with one star fast, whatever they begin with', () => {
    const begin = 'x/'.repeat(100)
    const path = `${begin}y/${begin}end`
    const many = compileUrls(
      Array.from({ length: 2000 }, (_, at) => ({ slug: `${at}`, path: `${begin}*name/${begin}end${at}` })),
    )
    const took = Array.from({ length: 5 }, () => {
      const startedAt = performance.now()
      expect(many(path)).toBeUndefined()
      expect(many(`${path}1999`)?.slug).toBe('1999')
      return performance.now() - startedAt
    })
    expect(Math.min(...took)).toBePrompt(50)
  })

  test('is not slowed down by slashes', () => {
    expect(match(`${'/'.repeat(500_000)}greet${'/'.repeat(500_000)}`)?.slug).toBe('greet')
    expect(match(`greet${'/'.repeat(500_000)}x`)).toBeUndefined()
  })
})
