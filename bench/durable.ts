import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { processTree, startAllInOne } from '@platform/testing/platform'
import type { Contender } from './durable/contender.ts'
import { DBOS_VERSION, startDbos } from './durable/dbos.ts'
import { RESTATE_VERSION, startRestate } from './durable/restate.ts'
import { costOf } from './measure/cost.ts'
import { type Figure, median } from './measure/figure.ts'
import { workspaceToCall } from './measure/signed-in.ts'
import { smallMemory } from './measure/small-memory.ts'

const ROUNDS = 5
const ROUND_MS = 3000
/** So long V8 goes on compiling what is called again and again. */
const WARM_UP_MS = 20_000

const body = JSON.stringify({ name: 'Ada', order: { id: 4711, currency: 'EUR' } })

/**
 * A durable run that a request waits for, with one step that asks another server, signed in and recorded, with fsync:
 * beside a Restate that does the same with `ctx.run` and a DBOS that does it with `runStep`. CPU of all processes of
 * each, PostgreSQL included, turn by turn.
 */
export async function durable(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const outside = fork(fileURLToPath(new URL('./durable/outside-process.ts', import.meta.url)))
  stack.defer(() => void outside.kill('SIGKILL'))
  const [port] = (await once(outside, 'message')) as [number]
  const url = `http://127.0.0.1:${port}/`
  const ours = await startOurs(stack, url)
  const restate = stack.use(await startRestate(url))
  const dbos = stack.use(await startDbos(url))
  const measured = new Map([ours, restate, dbos].map((one) => [one, { alone: [], many: [] } as Measures]))
  for (const one of measured.keys()) await measure(one, 64, WARM_UP_MS)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [one, { alone, many }] of measured) {
      alone.push(await measure(one, 1, ROUND_MS))
      many.push(await measure(one, 64, ROUND_MS))
    }
  }
  const [mine = none, ofRestate = none, ofDbos = none] = measured.values()
  return [
    ...theirFigures(`Restate ${RESTATE_VERSION}`, ofRestate),
    ...theirFigures(`DBOS ${DBOS_VERSION}`, ofDbos),
    ...figuresOf(mine, ofRestate),
  ]
}

interface Measures {
  readonly alone: Measure[]
  readonly many: Measure[]
}

interface Measure {
  readonly p50Ms: number
  readonly rate: number
  readonly micros: number
}

const none: Measures = { alone: [], many: [] }

async function startOurs(stack: AsyncDisposableStack, url: string): Promise<Contender> {
  const env = { LOG_LEVEL: 'info', FETCH_ALLOWED_HOSTS: '127.0.0.0/8', RATE_LIMIT_DISABLED: 'true' }
  const platform = stack.use(await startAllInOne({ ...smallMemory, ...env, RUNTIME_PROCESSES: '1' }))
  const { workspaceId, authorization, post } = await workspaceToCall(platform)
  await post(`/v2/workspaces/${workspaceId}/automations`, {
    slug: 'ask',
    name: 'ask',
    when: { endpoint: true },
    durable: true,
    do: [{ fetch: { url, method: 'post', body: '{{body}}', output: 'asked' } }],
    output: { id: '{{asked.id}}' },
  })
  return {
    plan: { url: `${platform.origin}/v2/workspaces/${workspaceId}/webhooks/ask`, headers: { authorization } },
    pids: () => processTree(...platform.processes.map(({ pid }) => pid)),
  }
}

async function measure({ plan, pids }: Contender, connections: number, durationMs: number): Promise<Measure> {
  const headers = { ...plan.headers, 'content-type': 'application/json' }
  const load = { ...plan, headers, method: 'POST', body, connections, durationMs } as const
  const { requests, seconds, p50Ms, micros } = await costOf(load, pids)
  return { p50Ms, rate: requests / seconds, micros }
}

const NAME = 'durable run of one step, fsync:'

const medianOf = (list: readonly Measure[], what: keyof Measure) => median(list.map((one) => one[what]))

const theirFigures = (who: string, { alone, many }: Measures): Figure[] => [
  { name: `${NAME} ${who}, p50 at one connection`, value: medianOf(alone, 'p50Ms'), unit: 'ms' },
  { name: `${NAME} ${who}, rate at 64 connections`, value: medianOf(many, 'rate'), unit: 'runs/s' },
  { name: `${NAME} ${who}, CPU of everything`, value: medianOf(many, 'micros'), unit: 'µs/run' },
]

function figuresOf(mine: Measures, other: Measures): Figure[] {
  const against = `Restate ${RESTATE_VERSION}`
  const ratio = (which: keyof Measures, what: keyof Measure) =>
    median(mine[which].map((one, round) => one[what] / (other[which][round]?.[what] ?? Number.NaN)))
  return [
    {
      name: `${NAME} p50 at one connection`,
      value: medianOf(mine.alone, 'p50Ms'),
      unit: 'ms',
      against,
      ratio: ratio('alone', 'p50Ms'),
      goal: 0.75,
      needed: 1,
    },
    {
      name: `${NAME} rate at 64 connections`,
      value: medianOf(mine.many, 'rate'),
      unit: 'runs/s',
      against,
      ratio: ratio('many', 'rate'),
      goal: 2,
      needed: 1.5,
      bigger: true,
    },
    {
      name: `${NAME} CPU of everything`,
      value: medianOf(mine.many, 'micros'),
      unit: 'µs/run',
      against,
      ratio: ratio('many', 'micros'),
      goal: 0.4,
      needed: 0.55,
    },
  ]
}
