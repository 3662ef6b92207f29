import { describe, expect, test, vi } from 'vitest'
import { newStream, placed, searchServer, type TestIndex, testIndex } from '../../test/index-store.ts'

const PATIENCE = { timeout: 10_000, interval: 100 }

interface Template {
  index_patterns: string[]
  priority: number
  version: number
  template: { settings: object; mappings: object }
}

interface Found {
  index_templates: { index_template: Template }[]
}

async function templateOf({ ask, prefix }: TestIndex) {
  const { body } = await ask<Found>('GET', `/_index_template/${prefix}events`)
  return body.index_templates[0]?.index_template
}

/** Puts the template as it was, but for the changes. */
async function change({ ask, prefix }: TestIndex, was: Template | undefined, changes: Partial<Template>) {
  const { index_patterns, priority, version, template } = { ...was, ...changes }
  const body = { index_patterns, priority, version, template, data_stream: {} }
  expect((await ask('PUT', `/_index_template/${prefix}events`, body)).status).toBe(200)
}

/** Without what a store writes of its own, such as dates. */
const pick = (template: Template | undefined) => ({ ...template?.template, version: template?.version })

const addOne = ({ index }: TestIndex, stream = newStream()) => index.add([placed(stream, 1, { number: 1 })])

async function putForeign({ ask, prefix }: TestIndex, pattern: string, priority: number): Promise<void> {
  const { status } = await ask('PUT', `/_index_template/${prefix}foreign`, {
    index_patterns: [pattern],
    priority,
    data_stream: {},
    template: { mappings: { dynamic: true } },
  })
  expect(status).toBe(200)
}

const removeForeign = ({ ask, prefix }: TestIndex) => ask('DELETE', `/_index_template/${prefix}foreign`)

describe.skipIf(searchServer === undefined)('the template of all streams', () => {
  test.each<[string, (installed: Template['template']) => Partial<Template['template']>]>([
    ['a setting', ({ settings }) => ({ settings: { ...settings, 'index.priority': 5 } })],
    ['all settings', () => ({ settings: {} })],
    ['the fields', ({ mappings }) => ({ mappings: { ...mappings, properties: { type: { type: 'text' } } } })],
    ['the whole mapping', () => ({ mappings: {} })],
  ])('is put right after a change to %s', async (_, changesOf) => {
    const opened = await testIndex()
    await addOne(opened)
    const before = await templateOf(opened)
    const template = before?.template ?? { settings: {}, mappings: {} }
    await change(opened, before, { template: { ...template, ...changesOf(template) } })
    expect(pick(await templateOf(opened))).not.toEqual(pick(before))
    await vi.waitFor(async () => {
      await addOne(opened)
      expect(pick(await templateOf(opened))).toEqual(pick(before))
    }, PATIENCE)
  })

  test('of an older version is put right, of a newer one left alone', async () => {
    const opened = await testIndex()
    await addOne(opened)
    const before = await templateOf(opened)
    await change(opened, before, { version: 0 })
    await vi.waitFor(async () => {
      await addOne(opened)
      expect((await templateOf(opened))?.version).toBe(before?.version)
    }, PATIENCE)
    await change(opened, before, { version: 1000 })
    await vi.waitFor(
      () => expect(addOne(opened)).rejects.toMatchObject({ unavailable: true, code: 'TEMPLATE_MISSING' }),
      PATIENCE,
    )
    expect((await templateOf(opened))?.version).toBe(1000)
  })

  test('that loses to a foreign one names it, and nothing is written under that', async () => {
    const opened = await testIndex()
    const stream = newStream()
    await putForeign(opened, `${opened.prefix}ev*`, 900)
    const message = expect.stringContaining(
      `The index template ${opened.prefix}foreign (${opened.prefix}ev*)`,
    )
    await expect(addOne(opened, stream)).rejects.toMatchObject({ unavailable: true, message })
    expect(await opened.index.warnings()).toEqual([message])
    await removeForeign(opened)
    await vi.waitFor(async () => expect(await addOne(opened, stream)).toEqual([]), PATIENCE)
    expect(await opened.index.warnings()).toEqual([])
  })

  test('that loses later keeps new streams from being made, and those that are there go on', async () => {
    const opened = await testIndex()
    const old = newStream()
    const fresh = newStream()
    await addOne(opened, old)
    await putForeign(opened, `${opened.prefix}events-*`, 900)
    await expect(addOne(opened, fresh)).rejects.toMatchObject({ unavailable: true, code: 'FOREIGN_TEMPLATE' })
    await opened.index.refresh(old)
    await expect(opened.index.rollOver(1)).rejects.toMatchObject({ code: 'FOREIGN_TEMPLATE' })
    expect(await opened.index.add([placed(old, 2, { number: 2 })])).toEqual([])
    await putForeign(opened, `${opened.prefix}events-*`, 499)
    expect(await addOne(opened, fresh)).toEqual([])
    expect(await opened.index.rollOver(1)).toContain(old)
    await removeForeign(opened)
  })

  test('leaves foreign ones alone that are weaker or mean other indexes', async () => {
    const opened = await testIndex()
    await putForeign(opened, `${opened.prefix}event*`, 400)
    expect(await addOne(opened)).toEqual([])
    await putForeign(opened, `${opened.prefix}other-*`, 900)
    expect(await addOne(opened)).toEqual([])
    expect(await opened.index.warnings()).toEqual([])
    await removeForeign(opened)
  })

  test('that can not be installed beside one with the same priority is tried again', async () => {
    const opened = await testIndex()
    await putForeign(opened, `${opened.prefix}events-*`, 500)
    await expect(addOne(opened)).rejects.toMatchObject({ unavailable: true, code: 'TEMPLATE_MISSING' })
    await removeForeign(opened)
    expect(await addOne(opened)).toEqual([])
  })
})
