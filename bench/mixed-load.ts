import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Platform, processTree, startAllInOne } from '@platform/testing/platform'
import { emitter } from './events/emitter.ts'
import { follow } from './events/follow.ts'
import type { Figure } from './measure/figure.ts'
import { sendLoad } from './measure/load.ts'
import { isNode, pssMegabytes } from './measure/processes.ts'
import { type CalledWorkspace, workspaceToCall } from './measure/signed-in.ts'
import { growthPerMinute } from './measure/slope.ts'
import { smallMemory } from './measure/small-memory.ts'
import { soakMinutes } from './measure/soak-minutes.ts'

const SAMPLE_MS = 5000
const minutes = soakMinutes(5)
/** What grows within a few minutes says nothing: caches fill, V8 takes what it is given. */
const SOAK_MINUTES = 30

/** What a workspace is used for at once: a run of each kind of instruction, one that fails twice, one that waits. */
const automationsOf = (outside: string) => [
  {
    slug: 'work',
    name: 'work',
    when: { events: ['bench.event'] },
    do: [
      { set: { name: 'global.last', value: '{{payload.n}}' } },
      { fetch: { url: outside, method: 'post', body: '{{payload}}', output: 'asked' } },
      { repeat: { until: 5, do: [{ set: { name: 'rounds', value: '{% {{$index}} + 1 %}' } }] } },
      { all: [{ greet: { name: 'Ada', output: 'one' } }, { greet: { name: 'Bob', output: 'other' } }] },
      {
        try: {
          do: [{ set: { name: 'read', value: '{% json("no JSON") %}' } }],
          catch: [{ set: { name: 'failed', value: '{{$error.name}}' } }],
        },
      },
      { wait: { timeout: '1s' } },
      { emit: { event: 'bench.done', payload: { n: '{{payload.n}}', id: '{{asked.id}}' } } },
    ],
  },
  {
    slug: 'follow',
    name: 'follow',
    when: { events: ['bench.event'] },
    do: [
      {
        wait: { oneOf: [{ event: 'bench.done', filters: { 'payload.n': '{{payload.n}}' } }], timeout: '1m' },
      },
      { emit: { event: 'bench.followed', payload: { n: '{{payload.n}}' } } },
    ],
  },
  {
    slug: 'fail',
    name: 'fail',
    when: { events: ['bench.wrong'] },
    retry: { attempts: 2, backoff: 0.2 },
    do: [{ set: { name: 'read', value: '{% json("no JSON") %}' } }],
  },
]

/**
 * Memory of all in one under what people do with it all day: URL runs, durable runs of each kind of instruction, runs
 * that fail and that wait, lists and records of runs, a live reader, automations that change, workspaces that come.
 */
export async function mixedLoad(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const outside = fork(fileURLToPath(new URL('./durable/outside-process.ts', import.meta.url)))
  stack.defer(() => void outside.kill('SIGKILL'))
  const [port] = (await once(outside, 'message')) as [number]
  const env = { FETCH_ALLOWED_HOSTS: '127.0.0.0/8', RUNTIME_PROCESSES: '1' }
  const platform = stack.use(await startAllInOne({ ...smallMemory, ...env }))
  const workspace = await workspaceToCall(platform)
  for (const one of automationsOf(`http://127.0.0.1:${port}/`))
    await workspace.post(`/v2/workspaces/${workspace.workspaceId}/automations`, one)

  const place = { origin: platform.origin, ...workspace }
  const seen = { followed: 0 }
  const hear = (data: string) => {
    if (data.includes('bench.followed')) seen.followed += 1
  }
  stack.use(await follow(place, hear))
  const endsAt = performance.now() + minutes * 60_000
  const samples: Samples = { all: [], node: [], runtime: [] }
  const [emitted] = await Promise.all([
    keepEmitting(place, endsAt),
    keepCalling(place, endsAt),
    keepLooking(place, endsAt),
    keepChanging(platform, place, endsAt),
    keepSampling(platform, samples, endsAt),
  ])
  await setTimeout(SAMPLE_MS)
  if (seen.followed < emitted)
    throw new Error(`${emitted - seen.followed} of ${emitted} events led to nothing.`)
  return figuresOf(samples)
}

interface Samples {
  /** MB PSS, one every five seconds. */
  readonly all: number[]
  readonly node: number[]
  readonly runtime: number[]
}

type Place = CalledWorkspace & { readonly origin: string }

/** Twenty events a second that two automations hear, one of which waits for the other; two that one fails at. */
async function keepEmitting(place: Place, endsAt: number): Promise<number> {
  const [emit, wrong] = [emitter(place.origin, place), emitter(place.origin, place, 'bench.wrong')]
  let n = 0
  for (; performance.now() < endsAt; n += 10) {
    await emit(...Array.from({ length: 10 }, (_, at) => ({ n: n + at })))
    await wrong({ n })
    await setTimeout(500)
  }
  return n
}

/** URL runs by eight callers that rest in between. */
async function keepCalling({ origin, workspaceId, authorization }: Place, endsAt: number): Promise<void> {
  const { failures } = await sendLoad({
    url: `${origin}/v2/workspaces/${workspaceId}/webhooks/order`,
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Ada', order: { id: 4711, note: 'n'.repeat(500) } }),
    connections: 8,
    restMs: 40,
    durationMs: endsAt - performance.now(),
  })
  if (failures > 0) throw new Error(`${failures} URL runs failed.`)
}

/** Somebody who looks at the newest runs and the last one of them, and searches the events. */
async function keepLooking({ origin, workspaceId, authorization }: Place, endsAt: number): Promise<void> {
  const read = async (path: string): Promise<unknown> => {
    const answer = await fetch(`${origin}/v2/workspaces/${workspaceId}${path}`, {
      headers: { authorization },
    })
    if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}: ${await answer.text()}`)
    return await answer.json()
  }
  while (performance.now() < endsAt) {
    const { runs } = (await read('/runs?limit=50')) as { runs: { id: string }[] }
    const [newest] = runs
    if (newest !== undefined) await read(`/runs/${newest.id}`)
    await read('/events?types=bench.done&limit=50')
    await setTimeout(1000)
  }
}

/** An automation that is changed every ten seconds, and a workspace more every minute. */
async function keepChanging(platform: Platform, place: Place, endsAt: number): Promise<void> {
  for (let change = 1; performance.now() < endsAt; change += 1) {
    const answer = await fetch(`${place.origin}/v2/workspaces/${place.workspaceId}/automations/greet`, {
      method: 'PATCH',
      headers: { authorization: place.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ description: `Change ${change}` }),
    })
    if (!answer.ok)
      throw new Error(`Changing an automation answered ${answer.status}: ${await answer.text()}`)
    if (change % 6 === 0) {
      const { post, workspaceId } = await workspaceToCall(platform)
      await post(`/v2/workspaces/${workspaceId}/webhooks/greet`, { name: 'Ada' })
    }
    await setTimeout(10_000)
  }
}

async function keepSampling(platform: Platform, samples: Samples, endsAt: number): Promise<void> {
  const { pid } = platform.process('all-in-one')
  while (performance.now() < endsAt) {
    await setTimeout(SAMPLE_MS)
    const pids = processTree(pid)
    const nodes = pids.filter(isNode)
    samples.all.push(pssMegabytes(pids))
    samples.node.push(pssMegabytes(nodes))
    samples.runtime.push(pssMegabytes(nodes.filter((one) => one !== pid)))
  }
}

function figuresOf(samples: Samples): Figure[] {
  const growth = (values: number[]) => growthPerMinute(values, SAMPLE_MS)
  const name = `${minutes} min of mixed load:`
  const limits = minutes >= SOAK_MINUTES ? { goal: 0.2, needed: 0.5 } : {}
  return [
    {
      name: `${name} growth of the process of automations`,
      value: growth(samples.runtime),
      unit: 'MB/min',
      ...limits,
    },
    { name: `${name} growth of all of Node`, value: growth(samples.node), unit: 'MB/min', ...limits },
    { name: `${name} growth of everything`, value: growth(samples.all), unit: 'MB/min' },
    {
      name: `${name} memory of everything at its end`,
      value: samples.all.at(-1) ?? Number.NaN,
      unit: 'MB PSS',
    },
  ]
}
