import { expect, test } from 'vitest'
import { readDefinition } from './read-definition.ts'

const read = (text: string) => readDefinition({ text, mediaType: 'yaml' }, true)

test('every instruction has its line and column, by the name that runs give it', () => {
  const text = `# A comment
name: places
arguments: { a: { type: number } }
do:
  - conditions:
      "{{a}} == 1":
        - set: { name: b, value: 1 }
      default:
        - # What else
          emit: { event: c }
  - repeat:
      on: "{{list}}"
      do: [{ break: {} }]
  - all:
      - try:
          do:
            - my automation: { x: 1 }
          catch:
            - delete: { name: b }
          finally:
            -   set:
                name: slipped
                value: 2
output: "{{b}}"
`
  expect(read(text).source).toEqual({
    text,
    places: {
      arguments: [3, 1],
      do: [4, 1],
      output: [24, 1],
      'do[0].conditions': [5, 5],
      'do[0].conditions["{{a}} == 1"][0].set': [7, 11],
      'do[0].conditions.default[0].emit': [10, 11],
      'do[1].repeat': [11, 5],
      'do[1].repeat.do[0].break': [13, 14],
      'do[2].all': [14, 5],
      'do[2].all[0].try': [15, 9],
      'do[2].all[0].try.do[0].my automation': [17, 15],
      'do[2].all[0].try.catch[0].delete': [19, 15],
      'do[2].all[0].try.finally[0].set': [21, 17],
    },
  })
})

test('an instruction behind an alias is where the anchor is', () => {
  const { source } = read('do:\n- try: { do: &steps [{ set: { name: a, value: 1 } }] }\n- all: *steps\n')
  expect(source?.places['do[1].all[0].set']).toEqual(source?.places['do[0].try.do[0].set'])
})

test('JSON has none', () => {
  expect(readDefinition({ text: '{"do":[]}', mediaType: 'json' }, true).source).toBeUndefined()
})

test('names that would take more room than the text does are left out, and nothing takes long', () => {
  const key = 'k'.repeat(50_000)
  const steps = Array.from({ length: 1000 }, () => '- break: {}').join('\n    ')
  const { source } = read(`do:\n- conditions:\n    ? ${key}\n    : ${steps.replaceAll('\n', '\n  ')}\n`)
  const names = Object.keys(source?.places ?? {})
  expect(names.join('').length).toBeLessThan(600_000)

  const branches = Array.from({ length: 4000 }, (_, at) => `    "{{a}} == ${at}": [{ break: {} }]`).join('\n')
  const before = process.threadCpuUsage()
  expect(Object.keys(read(`do:\n- conditions:\n${branches}\n`).source?.places ?? {})).toHaveLength(4002)
  expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(4000)
})
