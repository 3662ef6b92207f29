import { type Platform, processTree, startAllInOne } from '@platform/testing/platform'
import { AFTER_MS, costOf, type LoadCost } from './measure/cost.ts'
import { type Figure, median } from './measure/figure.ts'
import type { LoadPlan } from './measure/load.ts'
import { pssMegabytes } from './measure/processes.ts'
import { workspaceToCall } from './measure/signed-in.ts'
import { smallMemory } from './measure/small-memory.ts'

const ROUNDS = 5
const ROUND_MS = 5000
/** So long V8 goes on compiling what is called again and again. */
const WARM_UP_MS = 25_000

/** How busy the platform is, by name. */
const loads = {
  busy: { connections: 64 },
  few: { connections: 8 },
  lone: { connections: 1, restMs: 50 },
} as const

type Load = keyof typeof loads

/** All in one that executes automations in so many processes, and what it did. */
interface Contender {
  readonly plan: Pick<LoadPlan, 'url' | 'headers' | 'method' | 'body'>
  readonly pids: () => number[]
  readonly rounds: Record<Load, LoadCost[]>
  readonly memory: number[]
}

/**
 * POST …/webhooks/greet through the gateway, recorded, its executed event committed: CPU of the platform with
 * PostgreSQL per run, the busier the less; and what it costs more that automations are executed in a process that may
 * die, turn by turn.
 */
export async function runs(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const platforms = [
    stack.use(await startAllInOne({ ...smallMemory, LOG_LEVEL: 'info', RUNTIME_PROCESSES: '0' })),
    stack.use(await startAllInOne({ ...smallMemory, LOG_LEVEL: 'info', RUNTIME_PROCESSES: '1' })),
  ]
  const contenders = await Promise.all(platforms.map(contender))
  for (const one of contenders) await measure(one, 'busy', WARM_UP_MS)
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const load of Object.keys(loads) as Load[]) {
      for (const one of contenders) {
        one.rounds[load].push(await measure(one, load, ROUND_MS))
        if (load === 'busy') one.memory.push(pssMegabytes(one.pids()))
      }
    }
  }
  const [here, contained] = contenders
  if (here === undefined || contained === undefined) throw new Error('A platform is missing.')
  const { busy, few, lone } = here.rounds
  return [
    { name: 'run: CPU of everything', value: millisOf(busy), unit: 'ms/run', goal: 0.4, needed: 1.5 },
    { name: 'run: rate at 64 connections', value: middle(busy, rateOf), unit: 'runs/s' },
    { name: 'run: p99 at 64 connections', value: middle(busy, ({ p99Ms }) => p99Ms), unit: 'ms' },
    { name: 'run: CPU of everything at 8 connections', value: millisOf(few), unit: 'ms/run' },
    { name: 'run: CPU of everything where one comes each 50 ms', value: millisOf(lone), unit: 'ms/run' },
    {
      name: 'run in a process that may die: CPU more',
      value: median(contained.rounds.busy.map(({ micros }, at) => micros - (busy[at]?.micros ?? Number.NaN))),
      unit: 'µs/run',
      needed: 25,
    },
    {
      name: 'run in a process that may die: memory more',
      value: median(contained.memory) - median(here.memory),
      unit: 'MB PSS',
      needed: 60,
    },
  ]
}

async function contender(platform: Platform): Promise<Contender> {
  const { workspaceId, authorization } = await workspaceToCall(platform)
  return {
    plan: {
      url: `${platform.origin}/v2/workspaces/${workspaceId}/webhooks/greet`,
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada' }),
    },
    pids: () => processTree(...platform.processes.map(({ pid }) => pid)),
    rounds: { busy: [], few: [], lone: [] },
    memory: [],
  }
}

const measure = ({ plan, pids }: Contender, load: Load, durationMs: number): Promise<LoadCost> =>
  costOf({ ...plan, ...loads[load], durationMs }, pids, AFTER_MS)

const middle = (rounds: readonly LoadCost[], of: (round: LoadCost) => number): number =>
  median(rounds.map(of))
const millisOf = (rounds: readonly LoadCost[]): number => middle(rounds, ({ micros }) => micros / 1000)
const rateOf = ({ requests, seconds }: LoadCost): number => requests / seconds
