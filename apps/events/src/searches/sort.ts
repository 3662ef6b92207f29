import type { SortBy } from '@platform/search'
import { z } from 'zod'
import { fieldPath } from './field.ts'
import { isRecord, onlyEntry, read, refusal } from './reading.ts'

const Order = z.enum(['asc', 'desc'], 'must be asc or desc')
const Options = z.strictObject({ order: Order.default('asc') })

/** The order of the documents of a search. Throws RequestValidationError for a field that no store orders by. */
export const readSort = (sort: readonly unknown[]): SortBy[] =>
  sort.map((one, index) => {
    const path = `sort.${index}`
    const [name, value] = onlyEntry(one, path, 'field')
    const at = `${path}.${name}`
    if (name.startsWith('_') && name !== '_id')
      throw refusal(at, 'is not taken, as nothing is ranked: sort by createdAt')
    const field = fieldPath(name, at)
    if (!/^(createdAt|type|size|source\..+)$/.test(field))
      throw refusal(at, 'is not sorted by: use createdAt, type, size or a field of source')
    return { path: field, order: isRecord(value) ? read(Options, value, at).order : read(Order, value, at) }
  })
