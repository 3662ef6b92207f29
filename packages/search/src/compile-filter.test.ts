import { describe, expect, it } from 'vitest'
import { caseDocument, filterCases } from '../test/conformance/filter-cases.ts'
import { AskedDocument } from './asked-document.ts'
import { compileFilter } from './compile-filter.ts'
import type { Filter } from './filter.ts'

describe('filters that ask one document', () => {
  it('give the same results in every order as each alone', () => {
    const asked = new AskedDocument(caseDocument)
    for (const [name, filter, expected] of [...filterCases, ...filterCases.toReversed()])
      expect([name, compileFilter(filter)(asked)]).toEqual([name, expected])
  })

  it('look at each of its texts once for one pattern', () => {
    const document = { payload: { list: Array.from({ length: 20_000 }, (_, n) => `element ${n}`) } }
    const asked = new AskedDocument(document)
    const filters = Array.from(
      { length: 3000 },
      (): Filter => ({ path: 'payload.list', like: '*none*of*these*' }),
    )
    const before = process.threadCpuUsage()
    for (const filter of filters) expect(compileFilter(filter)(asked)).toBe(false)
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1000)
  })

  it('ask for words without going through all of them', () => {
    const text = Array.from({ length: 5000 }, (_, n) => `w${n}`).join(' ')
    const asked = new AskedDocument({ payload: { text } })
    const before = process.threadCpuUsage()
    for (let n = 0; n < 3000; n += 1) expect(compileFilter({ text: 'w1 w2 w3 w4 w5 z' })(asked)).toBe(false)
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1000)
  })
})
