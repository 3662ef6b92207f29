import { expectOthersServed } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compiled, runMain, startRuntime, type TestRuntime } from '../../test/testing.ts'

let runtime: TestRuntime
beforeAll(async () => {
  runtime = await startRuntime()
})
afterAll(() => runtime[Symbol.asyncDispose]())

/** Each level refers to the next one twice. */
const doubling = (levels: number, leaf: object = { type: 'string' }) => ({
  $ref: '#/properties/body/$defs/l0',
  $defs: Object.fromEntries(
    Array.from({ length: levels + 1 }, (_, level) => {
      const next = { $ref: `#/properties/body/$defs/l${level + 1}` }
      return [`l${level}`, level === levels ? leaf : { allOf: [next, next] }]
    }),
  ),
})
const many = (count: number, make: (index: number) => unknown): unknown[] =>
  Array.from({ length: count }, (_, i) => make(i))
const text = (seed: number) => ({ a: 'x'.repeat(100), b: many(30, (i) => i), c: seed })

const attacks: [string, object, unknown][] = [
  ['shared references', doubling(18), 1],
  ['shared references that hold', doubling(22, {}), 'x'],
  [
    'references that come back',
    {
      $defs: {},
      properties: { a: { allOf: [{ $ref: '#/properties/body' }, { $ref: '#/properties/body' }] } },
    },
    nested(60),
  ],
  ['a reference to itself', { allOf: [{ $ref: '#/properties/body' }, { $ref: '#/properties/body' }] }, 'x'],
  ['unique items', { uniqueItems: true }, many(1_000, text)],
  ['large choices', { items: { enum: many(2_000, (i) => `choice-${i}`) } }, many(20_000, (i) => i)],
  [
    'many walks through large objects',
    { allOf: many(1_000, () => ({ minProperties: 1 })) },
    Object.fromEntries(many(50_000, (i) => [`k${i}`, i]) as [string, number][]),
  ],
  ['many counts of long texts', { allOf: many(2_000, () => ({ minLength: 1 })) }, 'x'.repeat(900_000)],
  ['dear patterns', { items: { pattern: '[ab]*a[ab]{400}c' } }, many(2_000, () => 'ab'.repeat(200))],
]

function nested(depth: number): unknown {
  return depth === 0 ? {} : { a: nested(depth - 1) }
}

describe('checking arguments', () => {
  test.each(attacks)('holds nobody up, whatever the schema: %s', async (_, body, value) => {
    const workspace = await runtime.workspace({
      main: {
        when: { endpoint: true },
        arguments: { body: body as never },
        validateArguments: true,
        output: 1,
      },
    })
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(value),
    }
    await expectOthersServed({
      probe: async () => await (await fetch(`${runtime.url}/sys/livez`)).text(),
      attack: async () => {
        const response = await runtime.call(workspace.id, 'main', init)
        expect([200, 400]).toContain(response.status)
        await response.text()
      },
    })
  })

  test('says what to do about it', async () => {
    const workspace = compiled({ main: { arguments: { body: doubling(18) }, validateArguments: true } })
    const { failed } = await runMain(workspace, { body: 1 })
    expect(failed?.failure).toMatchObject({ name: 'InvalidArgumentsError' })
    expect(failed?.failure.message).toMatch(/takes too long. Pass less/)
  })

  test('is as before for large arguments of ordinary schemas', async () => {
    const item = {
      type: 'object',
      required: ['id'],
      properties: {
        id: { type: 'number' },
        tags: { type: 'array', items: { type: 'string' }, uniqueItems: true },
      },
    }
    const main = {
      arguments: { body: { type: 'array', items: item } },
      validateArguments: true,
      output: '{% length({{body}}) %}',
    }
    const body = many(1_000, (id) => ({ id, tags: ['a', 'b'] }))
    expect(await runMain(compiled({ main }), { body })).toMatchObject({ output: 1_000, failed: undefined })
    const wrong = await runMain(compiled({ main }), { body: [...body, { id: 'x', tags: [] }] })
    expect(wrong.failed?.failure.message).toMatch(/body.1000.id/)
  })
})
