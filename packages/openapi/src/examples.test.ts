import { endpoint } from '@platform/contracts'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { declaredEndpoints } from './declared.ts'
import { exampleProblems } from './example-problems.ts'

const contract = {
  id: 'makeThing',
  summary: 'Makes a thing.',
  service: 'workspaces',
  credential: 'none',
  method: 'post',
  path: '/v2/things',
  body: z.strictObject({ name: z.string() }),
  response: z.object({ id: z.string() }),
  failures: [],
} as const

describe('examples', () => {
  test('are complete and right in every contract', () => {
    const published = declaredEndpoints.filter(({ credential }) => credential !== 'internal')
    expect(published.flatMap(exampleProblems)).toEqual([])
  })

  test('that are missing are named', () => {
    expect(exampleProblems(endpoint(contract))).toEqual([
      'makeThing has no example of its request.',
      'makeThing has no example of its response.',
    ])
  })

  test('that do not match their schema are named with the place', () => {
    const example = { request: { name: 'a', more: 1 }, response: { id: 5 } }
    const problems = exampleProblems(endpoint({ ...contract, example }))
    expect(problems).toEqual([
      expect.stringMatching(/^The example of the request of makeThing is wrong: .*more/),
      expect.stringMatching(/^The example of the response of makeThing is wrong: id/),
    ])
  })

  test('that show more than is ever answered are named', () => {
    const example = { request: { name: 'a' }, response: { id: 'x', secret: 'y' } }
    expect(exampleProblems(endpoint({ ...contract, example }))).toEqual([
      'The example of the response of makeThing shows what is never answered.',
    ])
  })
})
