import { describe, expect, test } from 'vitest'
import { compiled, runMain } from '../../test/testing.ts'

const CAP = 100_000

/** A text with which the counted text of the event is exactly this long. */
function textOf(length: number, unit: string): string {
  const counted = (text: string) =>
    JSON.stringify({ type: 'sized', payload: { text }, options: { persist: true } }).length
  const full = unit.repeat(Math.floor((length - counted('')) / (JSON.stringify(unit).length - 2)))
  return full + 'x'.repeat(length - counted(full))
}

describe('the size of an event emitted by an automation', () => {
  test.for([
    ['ASCII', 'a'],
    ['emoji, which count as two', '😀'],
    ['characters that JSON escapes', '"\n'],
    ['control characters, six each', '\u0001'],
    ['accents, which count as one', 'é'],
  ] as [string, string][])('is counted as over HTTP, in UTF-16 units of its JSON: %s', async ([, unit]) => {
    const emit = { event: 'sized', payload: { text: '{{text}}' }, options: { persist: true } }
    const workspace = compiled({ main: { do: [{ emit }] } })
    const run = (length: number) => runMain(workspace, { text: textOf(length, unit) })
    for (const length of [CAP - 1, CAP]) {
      const { failed, events } = await run(length)
      expect(failed).toBeUndefined()
      expect(events.find(({ type }) => type === 'sized')?.size).toBe(length)
    }
    const { failed, events } = await run(CAP + 1)
    expect(failed?.failure).toMatchObject({ name: 'EventTooLarge', details: { size: CAP + 1, max: CAP } })
    expect(events.some(({ type }) => type === 'sized')).toBe(false)
  })

  test('of an executed automation is cut to its own cap, output first, and says so', async () => {
    const workspace = compiled({ main: { do: [], output: '{{text}}' } })
    const executed = async (text: string) => {
      const { events } = await runMain(workspace, { text })
      return events.find(({ type }) => type === 'runtime.automations.executed')
    }
    const small = await executed('x'.repeat(100))
    expect(small?.payload).toMatchObject({ output: 'x'.repeat(100), payload: { text: 'x'.repeat(100) } })
    const medium = await executed('x'.repeat(6000))
    expect(medium?.payload).toMatchObject({
      output: { truncated: true, size: 6002 },
      payload: { text: 'x'.repeat(6000) },
    })
    const large = await executed('x'.repeat(20_000))
    expect(large?.payload).toMatchObject({ output: { truncated: true }, payload: { truncated: true } })
    expect(large?.size).toBeLessThanOrEqual(10_000)
  })
})

describe('the target of an event emitted by an automation', () => {
  const emitTo = (target: unknown) =>
    runMain(compiled({ main: { do: [{ emit: { event: 'addressed', target } }] } }), { someone: 'ada' })

  test('whose fields have no value is refused, for left out it would be shown to everybody', async () => {
    const { failed, events } = await emitTo({ userId: '{{nobody}}', sessionId: '{{nobody}}' })
    expect(failed?.failure).toMatchObject({ name: 'InvalidEventError' })
    expect(String(failed?.failure.message)).toContain('names nobody')
    expect(events.some(({ type }) => type === 'addressed')).toBe(false)
  })

  test('keeps the fields that have one; without any target the event is for everybody', async () => {
    const { events } = await emitTo({ userId: '{{someone}}', sessionId: '{{nobody}}' })
    expect(events.find(({ type }) => type === 'addressed')?.target).toEqual({ userId: 'ada' })
    const open = await emitTo('{{nobody}}')
    expect(open.events.find(({ type }) => type === 'addressed')).not.toHaveProperty('target')
  })
})
