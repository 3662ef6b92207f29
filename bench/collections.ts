import { rmSync } from 'node:fs'
import { openDatabase, type Sql, sql, startEmbedded } from '@platform/database'
import { freshDirectory, processTree, startAllInOne } from '@platform/testing/platform'
import { type Figure, median } from './measure/figure.ts'
import { sendLoad } from './measure/load.ts'
import { cpuMeter } from './measure/processes.ts'
import { workspaceToCall } from './measure/signed-in.ts'

const ROUNDS = 5
const ROUND_MS = 4000
/** Calls of the module in one run. */
const CALLS = 50
const RECORDS = 10_000
const BATCH = 500

const recordOf = (n: number) => ({ n, email: `a${n}@example.com`, state: 'open', text: 'x'.repeat(300) })

const call = (name: string, parameters: Record<string, unknown>) => ({
  run: {
    module: 'collections',
    function: name,
    parameters: { collection: 'bench', ...parameters },
    output: 'out',
  },
})
const repeated = (steps: Record<string, unknown>[]) => [{ repeat: { until: CALLS, do: steps } }]
const record = {
  n: '{{n}}',
  email: '{% "a" + {{n}} + "@example.com" %}',
  state: 'open',
  text: 'x'.repeat(300),
}
const number = { set: { name: 'n', value: `{% rand(0, ${RECORDS - 1}) %}` } }

const automations = {
  prepare: [call('updateSchema', { uniques: ['email'], indexes: ['n'] })],
  fill: [call('bulkCreate', { data: '{{body.data}}' })],
  nothing: repeated([number]),
  find: repeated([number, call('findOne', { query: { email: record.email } })]),
  insert: repeated([
    { set: { name: 'n', value: '{% rand(1000000, 900000000) + rand() %}' } },
    call('create', { data: record }),
  ]),
}

/** Statements at once, as many as calls of a process. */
const AT_ONCE = 6
const STATEMENTS = 3000

/**
 * CPU of a statement alone, node and PostgreSQL: what the machine takes for the way there and back, which a call can't
 * be cheaper than.
 */
async function bare(url: string): Promise<Figure[]> {
  await using database = await openDatabase(url)
  await database.many(sql`create table bare (id bigserial primary key, data jsonb)`)
  const cost = async (statement: Sql): Promise<number> => {
    const each: number[] = []
    for (let round = -1; round < ROUNDS; round += 1) {
      const used = cpuMeter(() => processTree(process.pid))
      await Promise.all(
        Array.from({ length: AT_ONCE }, async () => {
          for (let n = 0; n < STATEMENTS / AT_ONCE; n += 1) await database.many(statement)
        }),
      )
      if (round >= 0) each.push((used() / STATEMENTS) * 1_000_000)
    }
    return median(each)
  }
  const data = JSON.stringify(recordOf(0))
  return [
    { name: 'a bare select, CPU of everything', value: await cost(sql`select 1`), unit: 'µs' },
    {
      name: 'a bare insert, CPU of everything',
      value: await cost(sql`insert into bare (data) values (${data})`),
      unit: 'µs',
    },
  ]
}

/**
 * findOne by an index, insert: CPU of the platform with PostgreSQL for a call, less that of the run around it, beside
 * that of a statement alone.
 */
export async function collections(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const directory = freshDirectory('bench-collections-')
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const server = await startEmbedded(`${directory}/postgres`)
  stack.defer(() => server.stop())
  const alone = await bare(server.url)
  const platform = stack.use(await startAllInOne({ LOG_LEVEL: 'info', RATE_LIMIT_DISABLED: 'true' }))
  const { workspaceId, authorization } = await workspaceToCall(platform)
  const base = `${platform.origin}/v2/workspaces/${workspaceId}`
  const post = async (path: string, body: unknown) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const answer = await fetch(`${base}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${await answer.text()}`)
  }
  for (const [slug, steps] of Object.entries(automations))
    await post('automations', { slug, name: slug, when: { endpoint: true }, do: steps })
  const pids = () => processTree(...platform.processes.map(({ pid }) => pid))
  const send = (slug: string, durationMs: number, connections: number) =>
    sendLoad({
      url: `${base}/webhooks/${slug}`,
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: '{}',
      connections,
      durationMs,
    })
  await post('webhooks/prepare', {})
  for (let from = 0; from < RECORDS; from += BATCH) {
    const data = Array.from({ length: BATCH }, (_, at) => recordOf(from + at))
    await post('webhooks/fill', { data })
  }
  const cost = async (slug: string): Promise<number> => {
    await send(slug, 2000, 8)
    const each: number[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const used = cpuMeter(pids)
      const { requests, failures } = await send(slug, ROUND_MS, 8)
      if (failures > 0) throw new Error(`${failures} of ${requests} runs failed.`)
      each.push((used() / requests / CALLS) * 1_000_000)
    }
    return median(each)
  }
  const nothing = await cost('nothing')
  const find = (await cost('find')) - nothing
  const insert = (await cost('insert')) - nothing
  return [
    ...alone,
    {
      name: 'collections: findOne by an index, CPU of everything',
      value: find,
      unit: 'µs',
      goal: 150,
      needed: 300,
    },
    { name: 'collections: insert, CPU of everything', value: insert, unit: 'µs', goal: 250, needed: 500 },
  ]
}
