import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openOffline } from './offline.ts'

const page = readFileSync(new URL('../../../../docs/testing-automations.md', import.meta.url), 'utf8')

/** The files that the examples of each section are: their first line says their name. */
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    title: section.split('\n', 1)[0] ?? '',
    files: [...section.matchAll(/^```yaml\n# (\S+)\n([\s\S]*?)^```$/gm)].map(([, name = '', text = '']) => ({
      name,
      text,
    })),
  }))
const withTests = sections.filter(({ files }) => files.length > 0)

describe('the guide to tests of automations', () => {
  test('has examples in nearly every section', () => {
    expect(withTests.length).toBeGreaterThan(sections.length - 2)
  })

  test.each(withTests)('its examples pass: $title', async ({ files }) => {
    const isTest = ({ name }: { name: string }) => name.endsWith('.test.yml')
    const automations = files
      .filter((file) => !isTest(file))
      .map(({ name, text }) => ({ slug: name.replace(/\.yml$/, ''), text }))
    const run = await openOffline(automations)
    for (const file of files.filter(isTest)) {
      const { results } = await run(file)
      const told = results.flatMap(({ name, differences }) =>
        differences.map(({ message }) => `${name}: ${message}`),
      )
      expect(told).toEqual([])
      expect(results.length).toBeGreaterThan(0)
    }
  })
})
