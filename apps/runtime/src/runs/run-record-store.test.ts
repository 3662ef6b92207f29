import { type Sql, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRuntime, type TestRuntime } from '../../test/testing.ts'
import { neededPartitions } from './keep-partitions.ts'
import { partitionStore } from './partition-store.ts'
import { pageStatement, type RunPage } from './run-record-store.ts'

const RUNS = 100_000
const LOOKED_AT = 20_000
const ORIGIN = uuidv7()

let runtime: TestRuntime

/** Over four weeks: two workspaces that take turns, and one that stopped before; one of a thousand runs has failed. */
beforeAll(async () => {
  runtime = await startRuntime()
  const weeks = [4, 3, 2, 1].flatMap((week) => neededPartitions(daysAgo(7 * week)))
  await partitionStore(runtime.database).create(...weeks)
  await runtime.database.many(
    sql`
      insert into runtime.runs (id, workspace_id, automation_slug, trigger_type, trigger_value, status,
        correlation_id, started_at, finished_at, duration_ms, error, origin_id, origin_kind)
      select (lpad(to_hex((extract(epoch from now()) * 1000)::bigint - n::bigint * 24000), 12, '0')
          || '7000' || lpad(to_hex(n), 16, '8'))::uuid,
        case when n > 60000 then 'quiet' else 'w' || n % 2 end, 'slug-' || n % 50, 'endpoint', 'slug-' || n % 50,
        case when n % 1000 < 2 then 'failed' else 'succeeded' end, 'correlation-' || n, now(), now(), 5,
        case when n % 1000 < 2 then '{"error":"ForbiddenError","message":"no"}'::jsonb end,
        case when n in (30000, 50000) then ${ORIGIN}::uuid end, case when n in (30000, 50000) then 'retry' end
      from generate_series(1, ${RUNS}) n`,
    { timeoutMs: 60_000 },
  )
  await runtime.database.many(sql`analyze runtime.runs`, { timeoutMs: 60_000 })
})
afterAll(() => runtime[Symbol.asyncDispose]())

interface Node {
  'Node Type': string
  'Actual Rows': number
  'Actual Loops': number
  'Rows Removed by Filter'?: number
  Plans?: Node[]
}

const reading = new Set(['Seq Scan', 'Index Scan', 'Index Only Scan', 'Bitmap Heap Scan'])

const flat = (node: Node): Node[] => [node, ...(node.Plans ?? []).flatMap(flat)]

/** The rows that a statement takes out of the table, through whatever index. */
async function rowsRead(statement: Sql): Promise<number> {
  const [row] = await runtime.database.many<{ 'QUERY PLAN': [{ Plan: Node }] }>(
    sql`explain (analyze, format json) ${statement}`,
  )
  const nodes = flat(row?.['QUERY PLAN'][0].Plan as Node)
  const scans = nodes.filter((node) => reading.has(node['Node Type']))
  const rows = scans.reduce(
    (sum, node) => sum + node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)),
    0,
  )
  return rows
}

const page = (filter: RunPage['filter'], cursor?: string): Sql =>
  pageStatement({ workspaceId: 'w0', filter, cursor, limit: 20, lookedAt: LOOKED_AT })
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)

test('a page of a workspace that is quiet now looks at nothing that others ran since', async () => {
  const quiet = { workspaceId: 'quiet', filter: {}, cursor: undefined, limit: 20, lookedAt: LOOKED_AT }
  expect(await rowsRead(pageStatement(quiet))).toBeLessThanOrEqual(100)
})

describe('a page of 100,000 runs', () => {
  test.each([
    ['without a filter', {}, 100],
    ['behind a cursor', {}, 100, uuidv7(daysAgo(10).getTime())],
    ['of a time', { after: daysAgo(12).toISOString(), before: daysAgo(11).toISOString() }, 100],
    ['of those that failed', { status: ['failed'] }, 100],
    ['of those that failed, and hold a text that none has', { status: ['failed'], text: 'nowhere' }, 200],
    ['of those that were given up', { deadLetter: true }, 200],
    ['of those that were made from one', { origin: ORIGIN }, 10],
    ['of an automation', { automation: 'slug-4' }, 2000],
    ['of an automation that has none', { automation: 'none' }, LOOKED_AT + 10],
    ['of a correlation', { correlationId: 'correlation-99998' }, LOOKED_AT + 10],
    ['with a text that none has', { text: 'nowhere' }, LOOKED_AT + 10],
  ] satisfies [string, RunPage['filter'], number, string?][])(
    '%s looks at few of them',
    async (_, filter, most, cursor?: string) => {
      expect(await rowsRead(page(filter, cursor))).toBeLessThanOrEqual(most)
    },
  )
})
