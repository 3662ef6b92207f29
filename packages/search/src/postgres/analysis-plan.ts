import { raw, type Sql, sql } from '@platform/database'
import type { Aggregation, Aggregations } from '../aggregation.ts'
import { requireDepth } from '../aggregation-checks.ts'
import type { Filter } from '../filter.ts'
import { columns, IS_SCALAR, jsonPathOf } from './fields.ts'
import { toSql } from './filter-to-sql.ts'
import type { AmongVocabularies } from './wanted.ts'

/** An aggregation in the tree of a question. */
export interface PlanNode {
  readonly number: number
  readonly name: string
  readonly aggregation: Aggregation
  readonly parent: PlanNode | undefined
  /** Levels of buckets above this one. */
  readonly depth: number
  readonly children: PlanNode[]
}

/** All aggregations of a question, parents before their children, and those at the top. */
export interface Plan {
  readonly nodes: PlanNode[]
  readonly roots: PlanNode[]
}

/** Numbers the aggregations of a question. Throws SearchError where they nest too deep. */
export function planOf(aggregations: Aggregations): Plan {
  const nodes: PlanNode[] = []
  const add = (parts: Aggregations, parent: PlanNode | undefined, depth: number): PlanNode[] => {
    requireDepth(depth, parts)
    return Object.entries(parts).map(([name, aggregation]) => {
      const node: PlanNode = { number: nodes.length, name, aggregation, parent, depth, children: [] }
      nodes.push(node)
      node.children.push(...add(partsOf(aggregation), node, depth + 1))
      return node
    })
  }
  const roots = add(aggregations, undefined, 0)
  return { nodes, roots }
}

const partsOf = (aggregation: Aggregation): Aggregations =>
  ('aggregations' in aggregation ? aggregation.aggregations : undefined) ?? {}

/** Which leaves of a field count: all but null as texts, texts only, or numbers only. */
export type LeafKind = 'any' | 'string' | 'number'

/** What is read of each document, once for all aggregations. */
export class ReadFields {
  readonly #names = new Map<string, Sql>()
  readonly #expressions: Sql[] = []
  readonly #among: AmongVocabularies

  constructor(among: AmongVocabularies) {
    this.#among = among
  }

  /** SQL that selects the leaves of a field in the row `r`, in a column `leaf` (of type text), each value once. */
  leaves(path: string, kind: LeafKind): Sql {
    const column = columns.get(path)
    if (column !== undefined) return this.#ofColumn(path, column, kind)
    const name = this.#read(`${kind} ${path}`, () => leavesAt(path, kind))
    // Nearly always there is one leaf, which needs no comparing with others.
    return sql`
      select r.${name}->>0 as leaf where jsonb_array_length(r.${name}) = 1
      union all
      select distinct leaf from jsonb_array_elements_text(r.${name}) as leaf where jsonb_array_length(r.${name}) > 1`
  }

  /** True when a field has one value at most. */
  isSingle(path: string): boolean {
    return columns.has(path)
  }

  /** The name of a column that is true where a document fulfils a filter. */
  holds(filter: Filter): Sql {
    return this.#read(`filter ${JSON.stringify(filter)}`, () => sql`(${toSql(filter, this.#among)}) is true`)
  }

  /** The columns, each preceded by a comma. */
  list(): Sql[] {
    return this.#expressions
  }

  #ofColumn(path: string, column: Sql, kind: LeafKind): Sql {
    if (kind === 'number') return sql`select null::text as leaf where false`
    const name = this.#read(`column ${path}`, () => column)
    return sql`select r.${name} as leaf where r.${name} is not null`
  }

  #read(key: string, make: () => Sql): Sql {
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const name = raw(`v${this.#expressions.length}`)
    this.#expressions.push(sql`, ${make()} as ${name}`)
    this.#names.set(key, name)
    return name
  }
}

const conditions: Record<LeafKind, string> = {
  any: `${IS_SCALAR} && @ != null`,
  string: '@.type() == "string"',
  number: '@.type() == "number"',
}

function leavesAt(path: string, kind: LeafKind): Sql {
  const jsonPath = jsonPathOf(path)
  if (jsonPath === undefined) return sql`'[]'::jsonb`
  return sql`jsonb_path_query_array(document, ${`${jsonPath} ? (${conditions[kind]})`}::jsonpath)`
}
