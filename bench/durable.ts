import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { processTree, startAllInOne } from '@platform/testing/platform'
import { type Contender, RESTATE_VERSION, startRestate } from './durable/restate.ts'
import { type Figure, median } from './measure/figure.ts'
import { sendLoad } from './measure/load.ts'
import { cpuMeter } from './measure/processes.ts'
import { workspaceToCall } from './measure/signed-in.ts'

const ROUNDS = 5
const ROUND_MS = 3000
const WARM_UP_MS = 5000

const body = JSON.stringify({ name: 'Ada', order: { id: 4711, currency: 'EUR' } })

/**
 * A durable run that a request waits for, with one step that asks another server, signed in and recorded, with fsync:
 * beside a Restate that does the same with `ctx.run`. CPU of all processes of each, PostgreSQL included, turn by turn.
 */
export async function durable(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const outside = fork(fileURLToPath(new URL('./durable/outside-process.ts', import.meta.url)))
  stack.defer(() => void outside.kill('SIGKILL'))
  const [port] = (await once(outside, 'message')) as [number]
  const url = `http://127.0.0.1:${port}/`
  const ours = await startOurs(stack, url)
  const theirs = stack.use(await startRestate(url))
  const measured = new Map([ours, theirs].map((one) => [one, { alone: [], many: [] } as Measures]))
  for (const one of measured.keys()) await measure(one, 64, WARM_UP_MS)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [one, { alone, many }] of measured) {
      alone.push(await measure(one, 1, ROUND_MS))
      many.push(await measure(one, 64, ROUND_MS))
    }
  }
  const [mine = none, other = none] = measured.values()
  return figuresOf(mine, other)
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
  const platform = stack.use(await startAllInOne(env))
  const { workspaceId, authorization } = await workspaceToCall(platform)
  const headers = { authorization }
  const answer = await fetch(`${platform.origin}/v2/workspaces/${workspaceId}/automations`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      slug: 'ask',
      name: 'ask',
      when: { endpoint: true },
      durable: true,
      do: [{ fetch: { url, method: 'post', body: '{{body}}', output: 'asked' } }],
      output: { id: '{{asked.id}}' },
    }),
  })
  if (!answer.ok) throw new Error(`The automation was not saved: ${await answer.text()}`)
  return {
    plan: { url: `${platform.origin}/v2/workspaces/${workspaceId}/webhooks/ask`, headers },
    pids: () => processTree(...platform.processes.map(({ pid }) => pid)),
  }
}

async function measure({ plan, pids }: Contender, connections: number, durationMs: number): Promise<Measure> {
  const used = cpuMeter(pids)
  const headers = { ...plan.headers, 'content-type': 'application/json' }
  const result = await sendLoad({ ...plan, headers, method: 'POST', body, connections, durationMs })
  const { requests, failures, seconds, p50Ms } = result
  if (failures > 0) throw new Error(`${failures} of ${requests} requests to ${plan.url} failed.`)
  return { p50Ms, rate: requests / seconds, micros: (used() / requests) * 1e6 }
}

function figuresOf(mine: Measures, other: Measures): Figure[] {
  const against = `Restate ${RESTATE_VERSION}`
  const of = (list: readonly Measure[], what: keyof Measure) => median(list.map((one) => one[what]))
  const ratio = (what: 'rate' | 'micros') =>
    median(mine.many.map((one, round) => one[what] / (other.many[round]?.[what] ?? Number.NaN)))
  const name = 'durable run of one step, fsync:'
  return [
    { name: `${name} Restate, p50 at one connection`, value: of(other.alone, 'p50Ms'), unit: 'ms' },
    { name: `${name} Restate, rate at 64 connections`, value: of(other.many, 'rate'), unit: 'runs/s' },
    { name: `${name} Restate, CPU of everything`, value: of(other.many, 'micros'), unit: 'µs/run' },
    { name: `${name} p50 at one connection`, value: of(mine.alone, 'p50Ms'), unit: 'ms', goal: 3, needed: 4 },
    {
      name: `${name} rate at 64 connections`,
      value: of(mine.many, 'rate'),
      unit: 'runs/s',
      against,
      ratio: ratio('rate'),
      goal: 2,
      needed: 1.5,
      bigger: true,
    },
    {
      name: `${name} CPU of everything`,
      value: of(mine.many, 'micros'),
      unit: 'µs/run',
      against,
      ratio: ratio('micros'),
      goal: 0.4,
      needed: 0.55,
    },
  ]
}
