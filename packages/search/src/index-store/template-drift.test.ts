import { describe, expect, test } from 'vitest'
import { streamTemplate, type TemplateOptions } from './template.ts'
import { type FoundTemplate, isNewer, isSame, lifecycleOf } from './template-drift.ts'

const options: TemplateOptions = {
  driver: 'elasticsearch',
  prefix: 'p-',
  shards: 1,
  replicas: 1,
  lifecycle: undefined,
}
const policy = 'p-policy-events-rollover'

/** As a store shows it: settings below `index` and as texts, and more besides. */
function shown(changes: Partial<TemplateOptions> = {}): FoundTemplate {
  const template = streamTemplate({ ...options, ...changes })
  const { 'translog.durability': durability, 'lifecycle.name': name, ...others } = template.template.settings
  const texts = Object.fromEntries(Object.entries(others).map(([key, value]) => [key, String(value)]))
  const index = { ...texts, translog: { durability }, ...(name === undefined ? {} : { lifecycle: { name } }) }
  return {
    ...template,
    composed_of: [],
    data_stream: { hidden: false, allow_custom_routing: false },
    template: { settings: { index }, mappings: template.template.mappings },
  }
}

describe('an installed template', () => {
  test('is ours with all that a store adds to it', () => {
    expect(isSame(shown(), options)).toBe(true)
    expect(isSame({}, options)).toBe(false)
  })

  test.each<[string, FoundTemplate]>([
    ['other shards', shown({ shards: 2 })],
    ['other copies', shown({ replicas: 0 })],
    ['other streams', shown({ prefix: 'q-' })],
    ['another store’s mapping', shown({ driver: 'opensearch' })],
    ['an older version', { ...shown(), version: 0 }],
    ['a lower priority', { ...shown(), priority: 100 }],
    ['components', { ...shown(), composed_of: ['logs'] }],
    ['plain indexes', { ...shown(), data_stream: undefined }],
    ['an alias', { ...shown(), template: { ...shown().template, aliases: { all: { filter: 'x' } } } }],
  ])('with %s is not', (_, found) => {
    expect(isSame(found, options)).toBe(false)
  })

  test('tells a process that did not install it which policy rolls over', () => {
    const found = shown({ lifecycle: policy })
    expect(lifecycleOf(found, options)).toBe(policy)
    expect(isSame(found, options)).toBe(true)
    expect(lifecycleOf(shown({ lifecycle: 'theirs' }), options)).toBeUndefined()
    expect(isSame(shown({ lifecycle: 'theirs' }), options)).toBe(false)
    expect(lifecycleOf(shown(), options)).toBeUndefined()
    expect(isSame(shown(), { ...options, lifecycle: policy })).toBe(false)
  })

  test('of a newer version is told', () => {
    expect(isNewer({ ...shown(), version: 1000 }, options)).toBe(true)
    expect([shown(), {}].some((found) => isNewer(found, options))).toBe(false)
  })
})
