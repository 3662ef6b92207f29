import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { datedChanges } from './transforms/dated-changes.ts'
import { v1Transforms, v3Transforms } from './transforms/majors.ts'
import { type Transform, transformFinder } from './transforms/transform.ts'

/** One operation in two versions: what a caller sends and v2 is given, what v2 answers and the caller gets. */
interface Golden {
  method: string
  path: string
  up?: { request: unknown; v2: unknown }
  down?: { query?: string; nextPage?: string; v2: unknown; answer: unknown }
  query?: { request: string; v2: string }
}

const directory = new URL('../../test/golden/', import.meta.url)
const registries: Record<string, readonly Transform[]> = {
  v1: v1Transforms,
  v3: v3Transforms,
  ...Object.fromEntries(datedChanges.map(({ date, transforms }) => [date, transforms])),
}
const goldens = readdirSync(directory).map((file): [string, Golden[]] => [
  file.replace('.json', ''),
  JSON.parse(readFileSync(new URL(file, directory), 'utf8')),
])

describe.each(goldens)('the golden file of %s', (name, cases) => {
  const registry = registries[name] ?? []
  const find = transformFinder(registry)

  test.each(cases)('$method $path is translated both ways', (golden) => {
    const [transform] = find(golden.method, golden.path)
    if (golden.up !== undefined) expect(transform?.up?.(golden.up.request)).toEqual(golden.up.v2)
    if (golden.query !== undefined)
      expect(String(transform?.query?.(new URLSearchParams(golden.query.request)))).toBe(golden.query.v2)
    if (golden.down === undefined) return
    const { query = '', nextPage, v2, answer } = golden.down
    const facts = { query: new URLSearchParams(query), nextPage }
    const given = structuredClone(v2)
    expect(transform?.down?.(given, facts)).toEqual(answer)
    expect(given, 'a transform changes nothing in place').toEqual(v2)
  })

  test('holds every transform of the version, in each of its directions', () => {
    for (const transform of registry) {
      const { method, path } = transform.contract
      const own = cases.filter((golden) => find(golden.method, golden.path)[0] === transform)
      for (const direction of ['up', 'down', 'query'] as const) {
        const isThere = own.some((golden) => golden[direction] !== undefined)
        expect(isThere, `${method} ${path} ${direction}`).toBe(transform[direction] !== undefined)
      }
    }
  })

  test('passes on what has another shape than expected', () => {
    const facts = { query: new URLSearchParams(), nextPage: undefined }
    for (const transform of registry) {
      for (const odd of [null, true, 7, 'text', {}]) {
        expect(transform.down?.(odd, facts) ?? odd).toEqual(odd)
        expect(transform.up?.(odd) ?? odd).toEqual(odd)
      }
    }
  })
})

test('every version with transforms has a golden file', () => {
  expect(goldens.map(([name]) => name).toSorted()).toEqual(Object.keys(registries).toSorted())
})
