import { describe, expect, it } from 'vitest'
import { CallArguments, instructionSchemas, isInstructionName, readStep } from './index.ts'

describe('readStep', () => {
  it('reads an instruction and a call', () => {
    expect(readStep({ set: { name: 'a', value: 1 } })).toEqual({
      name: 'set',
      arguments: { name: 'a', value: 1 },
      slipped: false,
    })
    expect(readStep({ 'App.do it': null })).toEqual({ name: 'App.do it', arguments: null, slipped: false })
  })

  it('takes fields that stand beside an empty instruction as its own', () => {
    expect(readStep({ set: null, name: 'a', value: 1 })).toEqual({
      name: 'set',
      arguments: { name: 'a', value: 1 },
      slipped: true,
    })
  })

  it('takes retry beside an instruction or a call, and an automation of that name by itself', () => {
    const retry = { attempts: 2 }
    expect(readStep({ retry, call: { a: 1 } })).toEqual({
      name: 'call',
      arguments: { a: 1 },
      slipped: false,
      retry,
    })
    expect(readStep({ set: null, name: 'a', value: 1, retry })).toMatchObject({ slipped: true, retry })
    expect(readStep({ call: null, retry: null })).toEqual({ name: 'call', arguments: null, slipped: false })
    expect(readStep({ retry })).toEqual({ name: 'retry', arguments: retry, slipped: false })
  })

  it.each([
    [{}],
    [{ set: { name: 'a', value: 1 }, output: 'b' }],
    [{ set: null, emit: { event: 'a' } }],
    [{ call: null, output: 'b' }],
  ])('reads nothing from %j', (step) => {
    expect(readStep(step)).toBeUndefined()
  })
})

describe('the instructions', () => {
  it('are the eighteen of the language, and no inherited word', () => {
    expect(Object.keys(instructionSchemas)).toHaveLength(18)
    for (const word of ['constructor', 'toString', '__proto__', 'Set'])
      expect(isInstructionName(word)).toBe(false)
  })

  it.each<[keyof typeof instructionSchemas, unknown]>([
    ['set', { name: 'a', value: undefined }],
    ['set', { name: 'a', value: 1, other: 2 }],
    ['emit', { event: 'a', payload: null, options: { persist: 'yes' } }],
    ['emit', { payload: {} }],
    ['wait', { timeout: -1 }],
    ['repeat', { do: [] }],
    ['all', { do: [] }],
    ['fetch', { method: 'get' }],
    ['rateLimit', { name: 'a', window: 1, limit: 1 }],
    ['set', null],
  ])('%s refuses %j', (name, value) => {
    expect(instructionSchemas[name].safeParse(value).success).toBe(false)
  })

  it.each<[keyof typeof instructionSchemas, unknown]>([
    ['set', { name: 'a', value: null, clone: '{{b}}' }],
    ['wait', { timeout: '{% {{a}} + 1 %}' }],
    ['wait', {}],
    ['break', null],
    ['comment', null],
    ['conditions', {}],
    ['fetch', { url: 'a', method: 'PATCH', headers: '{{h}}', stream: { target: '{{t}}' } }],
    ['rateLimit', { name: 'a', window: '{{w}}', limit: 1, consumer: '{{user.id}}', break: false }],
  ])('%s takes %j', (name, value) => {
    expect(instructionSchemas[name].parse(value)).toEqual(value)
  })

  it('take what was left empty for missing, but not what they need', () => {
    const { fetch, repeat, conditions, set, wait } = instructionSchemas
    expect(fetch.parse({ url: 'a', headers: null, method: null, body: null })).toEqual({
      url: 'a',
      body: null,
    })
    expect(repeat.parse({ on: '{{a}}', do: null, batch: null })).toEqual({ on: '{{a}}', do: [] })
    expect(conditions.parse({ '{{a}}': null, default: null })).toEqual({ '{{a}}': [], default: [] })
    expect(wait.parse({ oneOf: null, timeout: 1 })).toEqual({ timeout: 1 })
    expect(fetch.safeParse({ url: null }).success).toBe(false)
    expect(set.safeParse({ name: null, value: 1 }).success).toBe(false)
    expect(repeat.safeParse({ on: '{{a}}' }).success).toBe(false)
  })

  it('emit gathers a payload that slipped out of its indentation', () => {
    const emit = { event: 'a', payload: null, lastName: 'Smith', output: 'o' }
    expect(instructionSchemas.emit.parse(emit)).toEqual({
      event: 'a',
      payload: { lastName: 'Smith' },
      output: 'o',
    })
  })

  it('calls take any arguments, a template or none', () => {
    for (const value of [{ any: [1], output: 'x' }, '{{arguments}}', null, {}]) {
      expect(CallArguments.parse(value)).toEqual(value)
    }
    for (const value of [1, 'text', ['a'], { output: 1 }])
      expect(CallArguments.safeParse(value).success).toBe(false)
  })
})
