import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDatabase, startEmbedded } from '@platform/database'
import type { Figure } from '../measure/figure.ts'
import type { RelayOrder } from './relay-process.ts'
import { write } from './write-outbox.ts'

const WARM_UP = 10_000
const COUNTED = 60_000
const POLL_MS = 25

/** How fast the one writer of the log takes what was committed: events of some 400 bytes in 20 workspaces. */
export async function keep(): Promise<Figure[]> {
  await using stack = new AsyncDisposableStack()
  const directory = mkdtempSync(join(tmpdir(), 'platform-keep-'))
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const server = await startEmbedded(directory)
  stack.defer(() => server.stop())
  const database = stack.use(await openDatabase(server.url, {}))
  const keeper = await begin(stack, { role: 'keeper', databaseUrl: server.url, brokerUrl: 'postgres:' })
  await write(database, WARM_UP)
  await handled(keeper, WARM_UP)
  await write(database, COUNTED)
  const from = (await ask(keeper)).handled
  const startedAt = performance.now()
  await handled(keeper, WARM_UP + COUNTED)
  const seconds = (performance.now() - startedAt) / 1000
  const value = (WARM_UP + COUNTED - from) / seconds
  return [
    { name: 'events: outbox → log', value, unit: 'events/s', goal: 15_000, needed: 5_000, bigger: true },
  ]
}

async function begin(stack: AsyncDisposableStack, order: RelayOrder): Promise<ChildProcess> {
  const child = fork(fileURLToPath(new URL('./relay-process.ts', import.meta.url)))
  stack.defer(() => void child.kill('SIGKILL'))
  child.send(order)
  await once(child, 'message')
  return child
}

async function ask(child: ChildProcess): Promise<{ handled: number }> {
  child.send('how far?')
  const [answer] = (await once(child, 'message')) as [{ handled: number }]
  return answer
}

async function handled(child: ChildProcess, count: number): Promise<void> {
  while ((await ask(child)).handled < count) await pause(POLL_MS)
}
