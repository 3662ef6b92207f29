import { defaultEventLimits } from '@platform/outbox'
import { expect, test } from 'vitest'
import { TimeSlices } from '../automations/time-slices.ts'
import { automationCompiler } from './compile-automation.ts'
import { compiledBytes, Definitions } from './definitions.ts'

const slugs = Array.from({ length: 43 }, (_, at) => `large-${at}`)
const large = {
  name: 'large',
  do: Array.from({ length: 500 }, (_, at) => ({ set: { name: 'a', value: at } })),
}
const length = JSON.stringify(large).length

/** A workspace of large automations; counts what is read of it. */
function world() {
  const state = { revision: 1, checksum: 'first', index: 0, reads: [] as string[], earlier: [] as number[] }
  const at = () => ({ workspaceId: 'w', workspaceSlug: 'slug', revision: state.revision })
  const entry = (slug: string) => ({
    slug,
    checksum: state.checksum,
    endpoint: null,
    events: null,
    disabled: false,
  })
  const store = {
    listRevisions: async () => [at()],
    findWorkspace: async () => {
      state.index += 1
      const automations = slugs.map(entry)
      return {
        ...at(),
        workspaceName: 'w',
        config: null,
        automations,
        length: JSON.stringify(automations).length,
      }
    },
    findAutomation: async (_: string, slug: string) => {
      state.reads.push(slug)
      return { definition: { slug, ...large }, checksum: state.checksum, length }
    },
    findPlace: async () => undefined,
    findFunction: async () => undefined,
    listEarlier: async (_: string, revision: number) => {
      state.earlier.push(revision)
      return slugs.map((slug) => ({ slug, checksum: `of-${revision}` }))
    },
    findEarlier: async (_: string, slug: string, revision: number) => {
      state.reads.push(slug)
      return { definition: { slug, ...large }, checksum: `of-${revision}`, length }
    },
  }
  return { state, store }
}

test('compiled automations take no more bytes than they may, and the longest unused go first', async () => {
  const { state, store } = world()
  const room = 5.5 * compiledBytes(large, length)
  const limits = { maxWorkspaces: 10, maxBytes: Math.ceil(room) }
  const definitions = new Definitions(store, automationCompiler(defaultEventLimits, new TimeSlices()), limits)
  const workspace = await definitions.find('w')
  for (const slug of slugs) expect(await workspace?.find(slug)).toMatchObject({ slug })
  expect(state.reads).toEqual(slugs)
  state.reads.length = 0
  for (const slug of slugs.slice(-5)) expect(await workspace?.find(slug)).toMatchObject({ slug })
  expect(state.reads).toEqual([])
  for (const slug of slugs.slice(0, 3)) expect(await workspace?.find(slug)).toMatchObject({ slug })
  expect(state.reads).toEqual(slugs.slice(0, 3))
})

test('a save of one automation compiles no other again, and callers at once compile it once', async () => {
  const { state, store } = world()
  const limits = { maxWorkspaces: 10, maxBytes: 100_000_000 }
  const definitions = new Definitions(store, automationCompiler(defaultEventLimits, new TimeSlices()), limits)
  const first = await definitions.find('w')
  await Promise.all(Array.from({ length: 10 }, () => first?.find('large-0')))
  state.revision = 2
  const second = await definitions.find('w')
  expect(await second?.find('large-0')).toBe(await first?.find('large-0'))
  expect([state.index, state.reads]).toEqual([2, ['large-0']])
  state.revision = 3
  state.checksum = 'second'
  expect(await (await definitions.find('w'))?.find('large-0')).not.toBe(await first?.find('large-0'))
})

test('a run that goes on where it began reads nothing further, also when it is taken over', async () => {
  const { state, store } = world()
  const limits = { maxWorkspaces: 10, maxBytes: 100_000_000 }
  const definitions = new Definitions(store, automationCompiler(defaultEventLimits, new TimeSlices()), limits)
  const first = await definitions.find('w', 1)
  expect(await first?.find('large-0')).toMatchObject({ slug: 'large-0' })
  const again = await definitions.find('w', 1)
  expect(await again?.find('large-0')).toBe(await first?.find('large-0'))
  expect(state).toMatchObject({ index: 1, reads: ['large-0'], earlier: [] })
})

test('automations of many earlier revisions share the room of those of today', async () => {
  const { state, store } = world()
  const room = 5.5 * compiledBytes(large, length)
  const limits = { maxWorkspaces: 10, maxBytes: Math.ceil(room) }
  const definitions = new Definitions(store, automationCompiler(defaultEventLimits, new TimeSlices()), limits)
  state.revision = 201
  for (let revision = 1; revision <= 200; revision += 1)
    expect(await (await definitions.find('w', revision))?.find('large-0')).toMatchObject({ slug: 'large-0' })
  expect([state.index, state.reads.length, state.earlier.length]).toEqual([1, 400, 200])
  state.reads.length = 0
  for (let revision = 196; revision <= 200; revision += 1)
    await (await definitions.find('w', revision))?.find('large-0')
  expect(state.reads).toEqual([])
  await (await definitions.find('w', 1))?.find('large-0')
  expect(state.reads).toEqual(['large-0', 'large-0'])
})

test('a run that is under way calls automations as they were when it began', async () => {
  const { state, store } = world()
  const limits = { maxWorkspaces: 10, maxBytes: 100_000_000 }
  const definitions = new Definitions(store, automationCompiler(defaultEventLimits, new TimeSlices()), limits)
  state.checksum = 'of-1'
  const workspace = await definitions.find('w', 1)
  state.revision = 2
  state.checksum = 'saved since'
  const called = await workspace?.find('large-0')
  const newest = await (await definitions.find('w'))?.find('large-0')
  expect(newest).not.toBe(called)
  expect(await (await definitions.find('w', 1))?.find('large-0')).toBe(called)
})
