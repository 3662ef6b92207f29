import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDatabase, startEmbedded } from '@platform/database'
import { freePorts } from '@platform/testing/platform'
import type { Figure } from '../measure/figure.ts'
import type { RelayOrder } from './relay-process.ts'
import { write } from './write-outbox.ts'

/** Events before anything is counted: code is compiled by then. */
const WARM_UP = 20_000
const COUNTED = 120_000
const POLL_MS = 25

/** Outbox → NATS → handled, each step in a process of its own, of events of some 400 bytes in 20 workspaces. */
export async function relay(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const brokerUrl = await startNats(stack)
  const server = await startEmbedded(temporary(stack, 'relay-data'))
  stack.defer(() => server.stop())
  const database = stack.use(await openDatabase(server.url, {}))
  const handler = await begin(stack, { role: 'handler', databaseUrl: server.url, brokerUrl })
  const relaying = await begin(stack, { role: 'relay', databaseUrl: server.url, brokerUrl })

  await write(database, WARM_UP)
  await handled(handler, WARM_UP)
  const before = [await ask(relaying), await ask(handler)]
  const startedAt = performance.now()
  await write(database, COUNTED)
  await handled(handler, WARM_UP + COUNTED)
  const seconds = (performance.now() - startedAt) / 1000
  const after = [await ask(relaying), await ask(handler)]
  const perCpuSecond = (index: number) =>
    COUNTED / ((after[index]?.cpuSeconds ?? 0) - (before[index]?.cpuSeconds ?? 0))
  return [
    {
      name: 'relay: outbox → NATS',
      value: perCpuSecond(0),
      unit: 'events/CPU s',
      goal: 50_000,
      needed: 25_000,
      bigger: true,
    },
    {
      name: 'relay: NATS → handled',
      value: perCpuSecond(1),
      unit: 'events/CPU s',
      goal: 20_000,
      needed: 10_000,
      bigger: true,
    },
    { name: 'relay: outbox → NATS → handled', value: COUNTED / seconds, unit: 'events/s', bigger: true },
  ]
}

async function begin(stack: AsyncDisposableStack, order: RelayOrder): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('./relay-process.ts', import.meta.url)))
  stack.defer(() => void child.kill('SIGKILL'))
  child.send(order)
  await once(child, 'message')
  return child
}

async function ask(child: ChildProcess): Promise<{ handled: number; cpuSeconds: number }> {
  child.send('how far?')
  const [answer] = (await once(child, 'message')) as [{ handled: number; cpuSeconds: number }]
  return answer
}

async function handled(handler: ChildProcess, count: number): Promise<void> {
  while ((await ask(handler)).handled < count) await pause(POLL_MS)
}

/** NATS_SERVER, else the one on the path or made by `go install`. */
async function startNats(stack: AsyncDisposableStack): Promise<string> {
  const program = [process.env.NATS_SERVER, 'nats-server', join(homedir(), 'go', 'bin', 'nats-server')].find(
    (name) => name !== undefined && spawnSync(name, ['--version']).status === 0,
  )
  if (program === undefined) throw new Error('There is no nats-server: run scripts/servers/nats.sh install.')
  const [port] = await freePorts(1)
  const where = ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', temporary(stack, 'relay-nats')]
  const child = spawn(program, where, { stdio: 'ignore' })
  stack.defer(async () => {
    child.kill()
    await once(child, 'exit')
  })
  return `nats://127.0.0.1:${port}`
}

function temporary(stack: AsyncDisposableStack, name: string): string {
  const directory = mkdtempSync(join(tmpdir(), `platform-${name}-`))
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
