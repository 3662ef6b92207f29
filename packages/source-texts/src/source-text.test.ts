import { describe, expect, test } from 'vitest'
import { readJsonText, readYamlText, UnreadableText } from './index.ts'

test('a YAML text knows its value and where each key stands', () => {
  const source = readYamlText('name: places\ndo:\n  - set:\n      name: a\n')
  expect(source.value).toEqual({ name: 'places', do: [{ set: { name: 'a' } }] })
  expect(source.placeOf(['do', 0, 'set', 'name'])).toEqual({ line: 4, column: 7 })
})

test('a JSON text does as well', () => {
  const source = readJsonText('{\n  "name": "places"\n}')
  expect(source.placeOf(['name'])).toEqual({ line: 2, column: 3 })
})

test.each([
  ['YAML', () => readYamlText('a: 1\na: 2')],
  ['JSON', () => readJsonText('{"a": 1, "a": 2}')],
])('a key that is there twice in %s is refused with its place', (_, read) => {
  expect(read).toThrow(UnreadableText)
})

describe('a merge key', () => {
  const text = `shared: &shared
  method: post
  headers: { a: 1 }
more: &more { timeout: 5, method: put }
do:
  - fetch:
      <<: [*shared, *more]
      url: x
      headers: {}
  - fetch: { url: y, <<: { url: z, body: b } }
  - { "<<": 1 }
`

  test('brings the fields of other maps along, of which those that are written stay', () => {
    const { value } = readYamlText(text)
    expect(value).toMatchObject({
      do: [
        { fetch: { url: 'x', headers: {}, method: 'post', timeout: 5 } },
        { fetch: { url: 'y', body: 'b' } },
        { '<<': 1 },
      ],
    })
  })

  test('has its fields found where they were written', () => {
    const source = readYamlText(text)
    const place = (...path: (string | number)[]) => source.placeOf(['do', 0, 'fetch', ...path])
    expect(place('method')).toEqual({ line: 2, column: 3 })
    expect(place('headers')).toEqual({ line: 9, column: 7 })
    expect(place('timeout')).toEqual({ line: 4, column: 15 })
    expect(source.placeOf(['do', 1, 'fetch', 'body'])).toEqual({ line: 10, column: 36 })
  })

  test.each([
    ['a: &a 1\nb: { <<: *a }', 'Behind “<<” there must be a map', { line: 2, column: 6 }],
    ['a: &a { <<: *a }', 'A map can’t be merged into itself', { line: 1, column: 7 }],
    ['a: { <<: *b }', 'Behind “<<” there must be a map', { line: 1, column: 6 }],
    ['a: &a {}\nb:\n  <<: *a\n  <<: *a', 'the key "<<" is there twice', { line: 4, column: 3 }],
  ])('in %j is refused', (refused, message, place) => {
    expect(problemsOf(refused)).toEqual([{ ...place, path: '', message: expect.stringContaining(message) }])
  })

  test('can’t make a large value of a small text', () => {
    const levels = Array.from(
      { length: 24 },
      (_, at) => `l${at + 1}: &l${at + 1} { <<: [*l${at}, *l${at}], k${at}: 1 }`,
    )
    const wide = Array.from({ length: 1000 }, (_, at) => `k${at}: 1`).join(', ')
    expect(problemsOf(`l0: &l0 { a: 1 }\n${levels.join('\n')}`)).toMatchObject([
      { message: expect.stringContaining('Merge keys write out more than') },
    ])
    const merges = Array.from({ length: 50 }, (_, at) => `m${at}: { <<: *w }`).join('\n')
    expect(problemsOf(`w: &w { ${wide} }\n${merges}`)).toMatchObject([
      { message: expect.stringContaining('Merge keys write out more than') },
    ])
  })
})

function problemsOf(text: string): unknown {
  try {
    return readYamlText(text).value
  } catch (error) {
    return error instanceof UnreadableText ? error.details : error
  }
}
