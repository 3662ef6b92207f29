import type { AnalysisCase } from './case-notation.ts'
import { compositeCases } from './composite-cases.ts'
import { dateCases } from './date-cases.ts'
import { emptySpanCases } from './empty-span-cases.ts'
import { namedFilterCases } from './named-filter-cases.ts'
import { numberCases } from './number-cases.ts'
import { payloadDateCases } from './payload-date-cases.ts'
import { sortingCases } from './sorting-cases.ts'
import { termCases } from './term-cases.ts'

/** All questions about the corpus, with the answers every store gives. */
export const analysisCases: readonly AnalysisCase[] = [
  ...sortingCases,
  ...termCases,
  ...dateCases,
  ...emptySpanCases,
  ...payloadDateCases,
  ...numberCases,
  ...namedFilterCases,
  ...compositeCases,
]
