import { uuidv7 } from '@platform/kernel'
import { beforeAll, describe, expect, it } from 'vitest'
import { matches } from '../../src/compile-filter.ts'
import { analysisCases } from './analysis-cases.ts'
import { corpus } from './corpus.ts'
import { corpusFilterCases } from './corpus-filter-cases.ts'
import { caseDocument, filterCases } from './filter-cases.ts'
import { readingPromises } from './reading-promises.ts'
import type { SearchUnderTest } from './store-under-test.ts'

export interface ConformanceOptions {
  /** Names of cases for which a build has no means; they are reported as skipped, never as fulfilled. */
  notInThisBuild?: readonly string[]
}

/**
 * What every search store promises: that it finds in the order of the log, reads filters as `matches` does, and
 * computes alike.
 */
export function searchConformance(
  name: string,
  open: () => Promise<SearchUnderTest>,
  { notInThisBuild = [] }: ConformanceOptions = {},
): void {
  const lacks = new Set(notInThisBuild)
  const each = <Case extends readonly [string, ...unknown[]]>(
    cases: readonly Case[],
    check: (one: Case) => Promise<void>,
  ) => {
    for (const one of cases) {
      if (lacks.has(one[0])) it.skip(`${one[0]} (not in this build)`)
      else it(one[0], () => check(one))
    }
  }
  describe(name, () => {
    let opened: SearchUnderTest
    beforeAll(async () => {
      opened = await open()
    })
    describe('reading', () => readingPromises(() => opened))

    describe('filters', () => {
      const stream = `events-${uuidv7()}`
      beforeAll(() => keep(opened, stream, [caseDocument]))
      each(filterCases, async ([, filter, expected]) => {
        expect(matches(filter, caseDocument)).toBe(expected)
        const found = await opened.search.find(stream, { sort: 'asc', limit: 10, filter })
        expect(found).toHaveLength(expected ? 1 : 0)
      })
    })

    describe('the corpus', () => {
      const stream = `events-${uuidv7()}`
      beforeAll(() => keep(opened, stream, corpus))
      each(corpusFilterCases, async ([, filter, expected]) => {
        expect(numbersOf(corpus.filter((document) => matches(filter, document)))).toEqual(expected)
        const found = await opened.search.find(stream, { sort: 'asc', limit: 100, filter })
        expect(numbersOf(found)).toEqual(expected)
      })
      each(analysisCases, async ([, query, expected]) => {
        const { documents, aggregations, total } = await opened.search.analyse(stream, query)
        expect({ numbers: numbersOf(documents), aggregations, total }).toEqual({
          numbers: [],
          aggregations: {},
          total: undefined,
          ...expected,
        })
      })
    })
  })
}

async function keep(
  { add, refresh }: SearchUnderTest,
  stream: string,
  documents: readonly Record<string, unknown>[],
): Promise<void> {
  await add(documents.map((document, index) => ({ stream, id: uuidv7(), sequence: index + 1, document })))
  await refresh(stream)
}

const numbersOf = (documents: readonly Record<string, unknown>[]): unknown[] =>
  documents.map(({ payload }) => (payload as { number: unknown }).number)
