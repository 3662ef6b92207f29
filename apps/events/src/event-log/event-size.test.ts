import { emitEvents } from '@platform/contracts'
import { describe, expect } from 'vitest'
import { test } from '../../test/service-fixture.ts'

const CAP = 100_000

/** An event whose counted text is exactly this long, filled with a text of `unit`. */
function eventOf(length: number, unit: string) {
  const event = (text: string) => ({ type: 'sized', payload: { text }, options: { persist: true } })
  const counted = (text: string) => JSON.stringify(event(text)).length
  const full = unit.repeat(Math.floor((length - counted('')) / (JSON.stringify(unit).length - 2)))
  return event(full + 'x'.repeat(length - counted(full)))
}

describe('the size of an event emitted over HTTP', () => {
  test.for([
    ['ASCII', 'a'],
    ['emoji, which count as two', '😀'],
    ['characters that JSON escapes', '"\n'],
    ['control characters, six each', '\u0001'],
    ['accents, which count as one', 'é'],
  ] as [string, string][])(
    'is counted in UTF-16 units of its JSON: %s',
    async ([, unit], { service, workspaceId }) => {
      const ada = service.as({ userId: 'ada' })
      const emit = (length: number) =>
        ada(emitEvents, { params: { workspaceId }, body: { events: [eventOf(length, unit)] } })
      expect((await emit(CAP - 1)).result).toHaveLength(1)
      expect((await emit(CAP)).result).toHaveLength(1)
      await expect(emit(CAP + 1)).rejects.toMatchObject({
        name: 'EventTooLarge',
        status: 413,
        details: { size: CAP + 1, max: CAP },
      })
    },
  )
})
