import { setTimeout } from 'node:timers/promises'
import { processTree, startAllInOne } from '@platform/testing/platform'
import type { Figure } from '../measure/figure.ts'
import { pssMegabytes } from '../measure/processes.ts'
import { workspaceToCall } from '../measure/signed-in.ts'
import { emitter } from './emitter.ts'
import { follow } from './follow.ts'

const WORKSPACES = 100
const READERS = 1000
const PER_SECOND = 100
const SECONDS = 20

/** How much 1,000 live readers in 100 workspaces cost in memory, at 100 events a second in all. */
export async function readers(): Promise<Figure[]> {
  await using platform = await startAllInOne({ LOG_LEVEL: 'warn' })
  const workspaces: Awaited<ReturnType<typeof workspaceToCall>>[] = []
  for (let n = 0; n < WORKSPACES; n += 1) workspaces.push(await workspaceToCall(platform))
  const emits = workspaces.map((workspace) => emitter(platform.origin, workspace))
  const memory = () => pssMegabytes(processTree(...platform.processes.map(({ pid }) => pid)))
  await pace(emits)
  const before = memory()

  using stack = new DisposableStack()
  const followers = await Promise.all(
    Array.from({ length: READERS }, async (_, n) => {
      const workspace = workspaces[n % WORKSPACES]
      if (workspace === undefined) throw new Error('There is no workspace.')
      return stack.use(await follow({ origin: platform.origin, ...workspace }, () => undefined))
    }),
  )
  const sent = await pace(emits)
  await setTimeout(1000)

  const received = followers.reduce((sum, follower) => sum + follower.received, 0)
  const due = sent * (READERS / WORKSPACES)
  if (received !== due) throw new Error(`${received} of ${due} events reached the readers.`)
  return [
    {
      name: `events: growth by ${READERS} readers in ${WORKSPACES} workspaces`,
      value: memory() - before,
      unit: 'MB PSS',
      goal: 60,
      needed: 120,
    },
  ]
}

/** Emits at the rate, workspaces in turn; answers how many events. */
async function pace(emits: readonly ((payload: object) => Promise<void>)[]): Promise<number> {
  const total = PER_SECOND * SECONDS
  const startedAt = performance.now()
  for (let n = 0; n < total; n += 1) {
    await emits[n % emits.length]?.({ n })
    const aheadMs = startedAt + ((n + 1) * 1000) / PER_SECOND - performance.now()
    if (aheadMs > 0) await setTimeout(aheadMs)
  }
  return total
}
