import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePorts, freshDirectory, processTree, startAllInOne } from '@platform/testing/platform'
import { costOf } from './measure/cost.ts'
import { type Figure, median } from './measure/figure.ts'
import { type LoadPlan, sendLoad } from './measure/load.ts'
import { workspaceToCall } from './measure/signed-in.ts'
import { smallMemory } from './measure/small-memory.ts'

const VERSION = '5.0.7'
const ROUNDS = 7
const ROUND_MS = 3000
/**
 * Load before each round that isn't measured: after a pause a virtual machine may compute at little more than half of
 * its speed for a second. What is done behind its answers belongs to the round, as what the round leaves behind belongs
 * to nobody.
 */
const LEAD_MS = 2000
/** So long V8 goes on compiling what is called again and again. */
const WARM_UP_MS = 20_000
const READY_TRIES = 120

/** What both get: about 1 KB of JSON. */
const body = JSON.stringify({
  name: 'Ada',
  order: { id: 4711, currency: 'EUR', note: 'n'.repeat(500) },
  lines: Array.from({ length: 8 }, (_, at) => ({ article: `article-${at}`, count: at, price: at * 1.5 })),
})

/** Whoever is called, and whose processes pay for it. */
interface Contender {
  readonly plan: Pick<LoadPlan, 'url' | 'headers'>
  readonly pids: () => number[]
}

/**
 * A URL run of two steps with a body of 1 KB, signed in and recorded, beside a flow of two nodes in Node-RED, which
 * asks nobody who they are and records nothing: CPU of all processes of each, PostgreSQL included, turn by turn.
 */
export async function nodeRed(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const platform = stack.use(
    await startAllInOne({ ...smallMemory, LOG_LEVEL: 'info', RUNTIME_PROCESSES: '1' }),
  )
  const { workspaceId, authorization } = await workspaceToCall(platform)
  const ours: Contender = {
    plan: {
      url: `${platform.origin}/v2/workspaces/${workspaceId}/webhooks/order`,
      headers: { authorization },
    },
    pids: () => processTree(...platform.processes.map(({ pid }) => pid)),
  }
  const theirs = stack.use(await startNodeRed())
  const measured = new Map([ours, theirs].map((one) => [one, [] as number[]]))
  for (const one of measured.keys()) await microsOf(one, WARM_UP_MS)
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [one, micros] of measured) micros.push(await microsOf(one, ROUND_MS))
  const [mine = [], other = []] = measured.values()
  return [
    { name: 'run of two steps: Node-RED', value: median(other), unit: 'µs CPU/request' },
    {
      name: 'run of two steps, 1 KB, recorded: CPU of everything',
      value: median(mine),
      unit: 'µs/run',
      against: `Node-RED ${VERSION}`,
      ratio: median(mine.map((micros, round) => micros / (other[round] ?? Number.NaN))),
      goal: 4,
      needed: 5,
    },
  ]
}

async function microsOf({ plan, pids }: Contender, durationMs: number): Promise<number> {
  const headers = { ...plan.headers, 'content-type': 'application/json' }
  const load = { ...plan, headers, method: 'POST', body, connections: 64 } as const
  await sendLoad({ ...load, durationMs: LEAD_MS })
  return (await costOf({ ...load, durationMs }, pids)).micros
}

/** Node-RED as its package brings it, with a flow of two nodes between request and answer. */
async function startNodeRed(): Promise<Contender & AsyncDisposable> {
  const program = await installed()
  const directory = freshDirectory('node-red-')
  const [port = 0] = await freePorts(1)
  writeFileSync(join(directory, 'flows.json'), JSON.stringify(flow))
  writeFileSync(
    join(directory, 'settings.js'),
    `module.exports = ${JSON.stringify({ ...settings, uiPort: port })}`,
  )
  const child = spawn(process.execPath, [program, '--userDir', directory], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}/order`
  await untilAnswered(url)
  return {
    plan: { url, headers: {} },
    pids: () => [child.pid ?? 0],
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

const settings = {
  uiHost: '127.0.0.1',
  flowFile: 'flows.json',
  disableEditor: true,
  httpAdminRoot: false,
  logging: { console: { level: 'warn' } },
}

const node = (id: string, type: string, more: object, next?: string) => ({
  id,
  type,
  z: 'tab',
  x: 0,
  y: 0,
  wires: next === undefined ? [] : [[next]],
  ...more,
})

const set = (p: string, to: string) => ({ t: 'set', p, pt: 'msg', to, tot: 'jsonata' })

const flow = [
  { id: 'tab', type: 'tab', label: 'order' },
  node('in', 'http in', { url: '/order', method: 'post', upload: false }, 'greet'),
  node('greet', 'change', { rules: [set('greeting', "'Hello ' & payload.name")] }, 'answer'),
  node(
    'answer',
    'change',
    { rules: [set('payload', "{'greeting': greeting, 'id': payload.order.id}")] },
    'out',
  ),
  node('out', 'http response', { statusCode: '200', headers: {} }),
]

/** Its package, installed once for this user. */
async function installed(): Promise<string> {
  const folder = join(homedir(), '.cache', `platform-bench-node-red-${VERSION}`)
  const program = join(folder, 'node_modules', 'node-red', 'red.js')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', `node-red@${VERSION}`], {
    cwd: folder,
  })
  return program
}

async function untilAnswered(url: string): Promise<void> {
  for (let tries = 0; tries < READY_TRIES; tries += 1) {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    }).catch(() => undefined)
    if (answer?.ok) return void (await answer.text())
    await answer?.text()
    await pause(500)
  }
  throw new Error(`Node-RED does not answer at ${url}.`)
}
