import { expect, test } from 'vitest'
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
