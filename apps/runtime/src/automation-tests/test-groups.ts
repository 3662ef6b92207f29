import type { Data } from '../modules/collections/record.ts'
import { meanOf, sumOf } from './decimals.ts'
import { compareValues, itemsAt, valueAt } from './kept-values.ts'

const MOST_GROUPS = 1000

/** The different values of a property, each item of a list by itself. */
export function distinct(
  records: readonly Data[],
  field: string,
  { count, sort }: { readonly count?: boolean | undefined; readonly sort?: 1 | -1 | undefined },
): unknown[] {
  const counts = new Map<string, number>()
  for (const record of records)
    for (const value of itemsAt(record, field)) {
      const text = JSON.stringify(value)
      counts.set(text, (counts.get(text) ?? 0) + 1)
    }
  const found = [...counts].map(([text, times]) => ({ value: JSON.parse(text) as unknown, count: times }))
  found.sort((a, b) => compareValues(a.value, b.value) * (sort ?? 1))
  return found.slice(0, MOST_GROUPS).map((one) => (count === true ? one : one.value))
}

interface Step {
  readonly type: 'sum' | 'avg' | 'count' | 'min' | 'max'
  readonly inputField?: string | undefined
  readonly outputField: string
}

interface Group {
  readonly values: readonly unknown[]
  readonly records: Data[]
}

/** One object for each group. */
export function grouped(
  records: readonly Data[],
  groupBy: readonly string[],
  steps: readonly Step[],
): Record<string, unknown>[] {
  const groups = new Map<string, Group>(groupBy.length === 0 ? [['[]', { values: [], records: [] }]] : [])
  for (const record of records) {
    const values = groupBy.map((path) => valueAt(record, path) ?? null)
    const key = JSON.stringify(values)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, { values, records: [record] })
    else group.records.push(record)
  }
  const ordered = [...groups.values()].sort(compareGroups).slice(0, MOST_GROUPS)
  return ordered.map((group) =>
    Object.fromEntries([
      ...groupBy.map((path, index) => [path, structuredClone(group.values[index])] as const),
      ...steps.map((step) => [step.outputField, computedBy(step, group.records)] as const),
    ]),
  )
}

/** Groups without a value are the last. */
function compareGroups(a: Group, b: Group): number {
  for (const [index, value] of a.values.entries()) {
    const other = b.values[index]
    const order = Number(value === null) - Number(other === null) || compareValues(value, other)
    if (order !== 0) return order
  }
  return 0
}

/** Numbers are computed with; the least and the greatest are of texts where there are no numbers. */
function computedBy({ type, inputField }: Step, group: readonly Data[]): unknown {
  if (inputField === undefined) return type === 'count' ? group.length : null
  const values = group
    .map((one) => valueAt(one, inputField))
    .filter((one) => one !== undefined && one !== null)
  if (type === 'count') return values.length
  const numbers = values.filter((one) => typeof one === 'number')
  if (type === 'min' || type === 'max') return outermost(type, numbers, values)
  if (type === 'sum') return sumOf(numbers)
  return numbers.length === 0 ? null : meanOf(numbers)
}

/** Of texts where there are no numbers. */
function outermost(type: 'min' | 'max', numbers: readonly number[], values: readonly unknown[]): unknown {
  const comparable = numbers.length > 0 ? numbers : values.filter((one) => typeof one === 'string')
  const ordered = [...comparable].sort(compareValues)
  return (type === 'min' ? ordered[0] : ordered.at(-1)) ?? null
}
