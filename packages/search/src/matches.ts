import { AskedDocument } from './asked-document.ts'
import { compileFilter } from './compile-filter.ts'
import type { Filter } from './filter.ts'

/**
 * True when a document fulfils a filter. Who asks more than once compiles the filter, and asks many filters of one
 * document.
 */
export const matches = (filter: Filter, document: unknown): boolean =>
  compileFilter(filter)(new AskedDocument(document))
