import { describe, expect, test } from 'vitest'
import { compiled, runMain } from '../../test/testing.ts'

const step = (run: Record<string, unknown>) => ({ run: { module: 'text', output: 'out', ...run } })
const bad = { function: 'applyPatch', parameters: { content: 'a', patch: 'none' } }

const outcomeOf = (steps: Record<string, unknown>[], payload: Record<string, unknown> = {}, order = {}) =>
  runMain(compiled({ main: { do: steps, output: '{{out}}' } }), payload, order)

describe('run', () => {
  test.each([
    [
      { module: 'none', function: 'a' },
      'InvalidInstructionError',
      'There is no module "none": use text, crypto',
    ],
    [{ module: 'constructor', function: 'a' }, 'InvalidInstructionError', 'There is no module "constructor"'],
    [
      { function: 'toString' },
      'InvalidInstructionError',
      'The module "text" has no function "toString": it has parse',
    ],
    [
      { function: 'parseUrl', parameters: { link: 'x' } },
      'InvalidArgumentsError',
      'The parameters of text.parseUrl are not what it takes: url Invalid input',
    ],
    [{ ...bad, onError: '{{no}}' }, 'InvalidArgumentsError', 'The patch is no unified diff'],
    [
      { ...bad, onError: '{{wrong}}' },
      'InvalidInstructionError',
      'run.onError must be break, emit or continue.',
    ],
  ])('refuses %j', async (run, error, message) => {
    const { failed, events } = await outcomeOf([step(run)], { wrong: 'later' })
    expect(failed?.failure).toMatchObject({ name: error, message: expect.stringContaining(message) })
    expect(failed?.instruction).toBe('do[0].run')
    expect(events.filter(({ type }) => type === 'error')).toHaveLength(1)
  })

  test('goes on with the failure where onError says so, and tells it where it says emit', async () => {
    const gone = await outcomeOf([step({ ...bad, onError: 'continue' })])
    expect(gone.output).toEqual({
      error: 'InvalidArgumentsError',
      message: 'The patch is no unified diff of one text.',
    })
    expect(gone.events.filter(({ type }) => type === 'error')).toEqual([])
    const told = await outcomeOf([step({ ...bad, onError: 'emit' })])
    expect(told.output).toEqual(gone.output)
    expect(told.events.filter(({ type }) => type === 'error')).toMatchObject([
      {
        payload: {
          type: 'InvalidArgumentsError',
          details: { automationSlug: 'main', instruction: 'do[0].run' },
        },
      },
    ])
  })

  test('takes what templates give, also numbers as texts, and is caught by try', async () => {
    const split = step({ function: 'splitText', parameters: { content: '{{text}}', chunkSize: '{{size}}' } })
    expect((await outcomeOf([split], { text: 'a b', size: '2' })).output).toEqual(['a', 'b'])
    const caught = { try: { do: [step(bad)], catch: [{ set: { name: 'out', value: '{{$error.name}}' } }] } }
    expect((await outcomeOf([caught])).output).toBe('InvalidArgumentsError')
  })

  test('gives the chance of the run, the same when it is done again', async () => {
    const steps = [
      { run: { module: 'crypto', function: 'randomBytes', parameters: { size: 40 }, output: 'out.bytes' } },
      { run: { module: 'crypto', function: 'randomUUID', output: 'out.id' } },
    ]
    const segments = [
      { try: 0, segment: 0, upto: 0, reads: 0, place: 0, entries: JSON.stringify([['seed', 'of the test']]) },
    ]
    const again = { repeatable: true, segments }
    const [first, second, other] = [
      await outcomeOf(steps, {}, again),
      await outcomeOf(steps, {}, again),
      await outcomeOf(steps),
    ]
    expect(first?.output).toEqual(second?.output)
    expect(other?.output).not.toEqual(first?.output)
    for (const { output } of [first, other])
      expect(output).toEqual({
        bytes: expect.stringMatching(/^[0-9a-f]{80}$/),
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      })
  })
})
