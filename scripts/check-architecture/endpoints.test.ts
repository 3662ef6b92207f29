import { expect, test } from 'vitest'
import { endpointsWithoutProof } from './endpoints.ts'

const contract = { id: 'createThing', service: 'events', method: 'post', path: '/v2/things' }
const operation = {
  file: 'apps/events/src/things/create-thing.ts',
  text: 'import { createThing } from "@platform/contracts"',
}
const proof = { file: 'apps/events/src/things/create-thing.test.ts', text: "test('makes a thing', () => {})" }
const problems = (sources: { file: string; text: string }[], exported: unknown[] = [contract]) =>
  endpointsWithoutProof(exported, sources, 1)

test('an endpoint with its operation and its test is proved', () => {
  expect(problems([operation, proof])).toEqual([])
})

test('an operation may share a file with others of its noun', () => {
  const shared = {
    file: 'apps/events/src/things/make-things.ts',
    text: `${operation.text}\nroute(createThing, {})`,
  }
  expect(problems([shared, proof])).toEqual([])
  expect(problems([shared])).toEqual([
    'The endpoint createThing has no test: write apps/events/src/things/create-thing.test.ts.',
  ])
  expect(problems([{ ...shared, text: operation.text }, proof])).toEqual([
    'The endpoint createThing has no file create-thing.ts in apps/events.',
  ])
})

test.each([
  ['no operation', [], 'The endpoint createThing has no file create-thing.ts in apps/events.'],
  [
    'its operation in another app',
    [{ ...operation, file: 'apps/runtime/src/things/create-thing.ts' }],
    'The endpoint createThing has no file create-thing.ts in apps/events.',
  ],
  [
    'no test',
    [operation],
    'The endpoint createThing has no test: write apps/events/src/things/create-thing.test.ts.',
  ],
  [
    'an empty test',
    [operation, { ...proof, text: '' }],
    'The endpoint createThing has no test: write apps/events/src/things/create-thing.test.ts.',
  ],
  [
    'its test elsewhere',
    [operation, { ...proof, file: 'apps/events/src/create-thing.test.ts' }],
    'The endpoint createThing has no test: write apps/events/src/things/create-thing.test.ts.',
  ],
  [
    'an operation of another contract',
    [{ ...operation, text: 'createThings' }, proof],
    'apps/events/src/things/create-thing.ts does not implement the contract createThing.',
  ],
])('an endpoint with %s is named', (_, sources, sentence) => {
  expect(problems(sources)).toEqual([sentence])
})

test('a check that finds no endpoints says that it does not work', () => {
  expect(problems([operation, proof], [{ other: true }, null, 'x'])).toEqual([
    'Only 0 endpoints were found: the check does not work.',
  ])
})
