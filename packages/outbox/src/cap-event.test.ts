import { recordText } from '@platform/broker'
import { Failure } from '@platform/kernel'
import { describe, expect, it } from 'vitest'
import { buildRecord, capEvent, defaultEventLimits, type EventParts, eventSize } from './event-record.ts'

const event = (payload: unknown, type = 'order.created') =>
  buildRecord({ type, payload, source: { workspaceId: 'w' } })
const executed = (payload: unknown) => event(payload, 'runtime.automations.executed')
/** An event of exactly this size. */
const ofSize = (size: number, filler = 'x') => {
  const overhead = eventSize({ type: 'order.created', payload: { text: '' } })
  return event({ text: filler.repeat((size - overhead) / filler.length) })
}
const failureOf = (work: () => unknown): unknown => {
  try {
    work()
    return undefined
  } catch (error) {
    return error instanceof Failure ? error.toJSON() : error
  }
}

describe('the size of an event', () => {
  it('is the UTF-16 length of type, payload, target and options', () => {
    const record = buildRecord({
      type: 'a',
      payload: { text: '🚀' },
      source: { workspaceId: 'not counted' },
      target: { userId: 'u' },
      options: { persist: false },
    })
    expect(record.size).toBe(
      '{"type":"a","payload":{"text":"🚀"},"target":{"userId":"u"},"options":{"persist":false}}'.length,
    )
  })
})

describe('the text of an event', () => {
  it.each<Partial<EventParts>>([
    {},
    { target: { userId: 'u' } },
    { options: { persist: false } },
    { target: { userId: 'u' }, options: { persist: false }, payload: undefined },
    { payload: ['"', '\\', '\u0001', '\ud83d\ude80', { nested: undefined, at: new Date(0) }] },
  ])('is what JSON makes of its record: %j', (parts) => {
    const record = buildRecord({ type: 'a', payload: {}, source: { workspaceId: 'w' }, ...parts })
    expect(recordText(record)).toBe(JSON.stringify(record))
  })
})

describe('the cap', () => {
  it('lets an event of 100,000 characters through and refuses one of 100,001', () => {
    expect(capEvent(ofSize(100_000), defaultEventLimits).size).toBe(100_000)
    expect(failureOf(() => capEvent(ofSize(100_001), defaultEventLimits))).toMatchObject({
      error: 'EventTooLarge',
      details: { size: 100_001, max: 100_000 },
    })
  })

  it('counts a character beyond the basic plane twice', () => {
    const overhead = eventSize({ type: 'order.created', payload: { text: '' } })
    const limits = { ...defaultEventLimits, maxLength: overhead + 4 }
    expect(capEvent(ofSize(overhead + 4, '🚀'), limits).size).toBe(overhead + 4)
    expect(failureOf(() => capEvent(ofSize(overhead + 6, '🚀'), limits))).toMatchObject({
      error: 'EventTooLarge',
    })
  })

  it('replaces the output of an executed automation, and keeps its payload when that is enough', () => {
    const capped = capEvent(
      executed({ slug: 'a', payload: { kept: true }, output: 'o'.repeat(20_000) }),
      defaultEventLimits,
    )
    expect(capped.payload).toEqual({
      slug: 'a',
      payload: { kept: true },
      output: { truncated: true, size: 20_002 },
    })
    expect(capped.size).toBe(eventSize(capped))
  })

  it('replaces its payload as well when it must', () => {
    const large = { text: 'p'.repeat(20_000) }
    const capped = capEvent(
      executed({ slug: 'a', payload: large, output: 'o'.repeat(20_000) }),
      defaultEventLimits,
    )
    expect(capped.payload).toEqual({
      slug: 'a',
      payload: { truncated: true, size: JSON.stringify(large).length },
      output: { truncated: true, size: 20_002 },
    })
  })

  it('refuses an executed automation that is too large without both', () => {
    expect(
      failureOf(() => capEvent(executed({ slug: 'a'.repeat(20_000) }), defaultEventLimits)),
    ).toMatchObject({
      error: 'EventTooLarge',
      details: { max: 10_000 },
    })
  })

  it.each([
    ['a NUL character', { text: 'a\0b' }],
    ['a NUL character in a key', { 'a\0b': 1 }],
    ['a NUL character after a backslash', { text: '\\\0' }],
    ['the first half of a surrogate pair', { text: '\ud83d' }],
    ['the second half of a surrogate pair', { text: 'x\ude80' }],
  ])('refuses %s', (_, payload) => {
    expect(failureOf(() => capEvent(event(payload), defaultEventLimits))).toMatchObject({
      error: 'InvalidEventError',
    })
  })

  it.each([
    ['an escape spelled out', { text: '\\u0000 and \\ud83d' }],
    ['a whole pair', { text: '🚀' }],
    ['other control characters', { text: '\u0001\n\u001f' }],
  ])('takes %s', (_, payload) => {
    const record = event(payload)
    expect(capEvent(record, defaultEventLimits)).toBe(record)
  })
})
