import { setTimeout as pause } from 'node:timers/promises'
import { processTree, startAllInOne } from '@platform/testing/platform'
import { AFTER_MS, costOf, type LoadCost } from './measure/cost.ts'
import { type Figure, median } from './measure/figure.ts'
import { pssMegabytes } from './measure/processes.ts'
import { workspaceToCall } from './measure/signed-in.ts'
import { smallMemory } from './measure/small-memory.ts'

const ROUNDS = 3
const ROUND_MS = 8000
/** So long V8 goes on compiling what is called again and again. */
const WARM_UP_MS = 20_000

/** How busy the platform is, by name. */
const loads = {
  busy: { connections: 64 },
  few: { connections: 8 },
  lone: { connections: 1, restMs: 50 },
} as const

type Load = keyof typeof loads

/** What one platform did. */
type Round = Record<Load, LoadCost> & { readonly megabytes: number }

/**
 * POST …/webhooks/greet through the gateway, recorded, its executed event committed: CPU of the platform with
 * PostgreSQL per run, the busier the less; and what it costs more that automations are executed in a process that may
 * die. Each round has platforms of its own, one after the other: two at once take cache and memory from one another.
 */
export async function runs(): Promise<Figure[]> {
  const here: Round[] = []
  const contained: Round[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    here.push(await measuredAlone('0'))
    contained.push(await measuredAlone('1'))
  }
  const more = (of: (round: Round) => number): number =>
    median(contained.map((round, at) => of(round) - of(here[at] ?? round)))
  return [
    {
      name: 'run: CPU of everything',
      value: millisOf(contained, 'busy'),
      unit: 'ms/run',
      goal: 0.4,
      needed: 1.5,
    },
    {
      name: 'run: rate at 64 connections',
      value: middle(contained, ({ busy }) => rateOf(busy)),
      unit: 'runs/s',
    },
    { name: 'run: p99 at 64 connections', value: middle(contained, ({ busy }) => busy.p99Ms), unit: 'ms' },
    { name: 'run: CPU of everything at 8 connections', value: millisOf(contained, 'few'), unit: 'ms/run' },
    {
      name: 'run: CPU of everything where one comes each 50 ms',
      value: millisOf(contained, 'lone'),
      unit: 'ms/run',
    },
    {
      name: 'run in a process that may die: CPU more',
      value: more(({ busy }) => busy.micros),
      unit: 'µs/run',
      needed: 25,
    },
    {
      name: 'run in a process that may die: memory more',
      value: more(({ megabytes }) => megabytes),
      unit: 'MB PSS',
      needed: 60,
    },
  ]
}

/** All in one that executes automations in so many processes of their own. */
async function measuredAlone(processes: string): Promise<Round> {
  await using platform = await startAllInOne({
    ...smallMemory,
    LOG_LEVEL: 'info',
    RUNTIME_PROCESSES: processes,
  })
  const { workspaceId, authorization } = await workspaceToCall(platform)
  const plan = {
    url: `${platform.origin}/v2/workspaces/${workspaceId}/webhooks/greet`,
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada' }),
  } as const
  const pids = () => processTree(...platform.processes.map(({ pid }) => pid))
  const measure = (load: Load, durationMs: number, afterMs: number): Promise<LoadCost> =>
    costOf({ ...plan, ...loads[load], durationMs }, pids, afterMs)
  await measure('busy', WARM_UP_MS, 0)
  // What is left behind is as much as was left before.
  const busy = await measure('busy', ROUND_MS, 0)
  const megabytes = pssMegabytes(pids())
  await pause(AFTER_MS)
  const few = await measure('few', ROUND_MS, AFTER_MS)
  return { busy, few, lone: await measure('lone', ROUND_MS, AFTER_MS), megabytes }
}

const middle = (rounds: readonly Round[], of: (round: Round) => number): number => median(rounds.map(of))
const millisOf = (rounds: readonly Round[], load: Load): number =>
  middle(rounds, (round) => round[load].micros / 1000)
const rateOf = ({ requests, seconds }: LoadCost): number => requests / seconds
