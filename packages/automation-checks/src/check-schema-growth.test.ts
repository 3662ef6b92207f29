import { describe, expect, it } from 'vitest'
import { checkSchemaGrowth } from './check-schema-growth.ts'

/** Each level refers to the next one twice. */
const doubling = (levels: number, keyword = 'allOf') => ({
  $ref: '#/$defs/l0',
  $defs: Object.fromEntries(
    Array.from({ length: levels }, (_, level) => [
      `l${level}`,
      { [keyword]: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
    ]),
  ),
})
const chain = (length: number) => ({
  $ref: '#/$defs/l0',
  $defs: Object.fromEntries(
    Array.from({ length }, (_, level) => [`l${level}`, { $ref: `#/$defs/l${level + 1}` }]),
  ),
})

const problemsOf = (definition: object) => [...checkSchemaGrowth(definition)].map(({ path }) => path)

describe('schemas that are held against one value', () => {
  it.each([
    ['shared references', doubling(18)],
    ['shared alternatives', doubling(40, 'anyOf')],
    ['a reference to itself', { $ref: '#' }],
    ['a way back', { allOf: [{ $ref: '#/allOf/0' }] }],
    ['a chain without end', chain(20_000)],
  ])('may not be too many: %s', (_, schema) => {
    const before = process.threadCpuUsage()
    const text = JSON.stringify(schema).replaceAll('"#', '"#/properties/a')
    expect(problemsOf({ arguments: { a: JSON.parse(text) } })).toEqual([['arguments']])
    expect(problemsOf({ schemas: [{ payload: { type: 'object', ...schema } }] })).toEqual([
      ['schemas', 0, 'payload'],
    ])
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(2_000)
  })

  it.each([
    ['a few levels', doubling(8)],
    ['a tree', { properties: { children: { type: 'array', items: { $ref: '#/properties/a' } } } }],
    [
      'many properties',
      { properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`p${i}`, {}])) },
    ],
    ['a reference to nothing', { $ref: '#/$defs/none' }],
  ])('are as before where they are few: %s', (_, schema) => {
    expect(problemsOf({ arguments: { a: schema } })).toEqual([])
  })
})
