import { setTimeout as pause } from 'node:timers/promises'
import { startAllInOne } from '@platform/testing/platform'
import { emitter } from './events/emitter.ts'
import { follow } from './events/follow.ts'
import type { Figure } from './measure/figure.ts'
import { workspaceToCall } from './measure/signed-in.ts'
import { smallMemory } from './measure/small-memory.ts'

const PER_SECOND = 500
/** One call brings so many: as a busy client would, and so that calls aren't what is measured. */
const AT_ONCE = 5
const SECONDS = 10
/** Code that was never run before is compiled first. */
const WARM_UP_SECONDS = 10
const PATIENCE_MS = 30_000

/**
 * Events at an even pace that trigger an automation which emits one itself: from the beginning of the call that emits
 * until a live reader sees what the run has emitted.
 */
export async function effects(): Promise<Figure[]> {
  await using platform = await startAllInOne({
    ...smallMemory,
    LOG_LEVEL: 'warn',
    RATE_LIMIT_DISABLED: 'true',
  })
  const workspace = await workspaceToCall(platform)
  await workspace.post(`/v2/workspaces/${workspace.workspaceId}/automations`, {
    slug: 'react',
    name: 'react',
    when: { events: ['bench.event'] },
    do: [{ emit: { event: 'bench.effect', payload: { n: '{{payload.n}}' } } }],
  })
  const sentAt: number[] = []
  const tookMs = new Map<number, number>()
  using _follower = await follow({ origin: platform.origin, ...workspace }, (data) => {
    const { type, payload } = JSON.parse(data) as { type: string; payload: { n: number } }
    if (type === 'bench.effect') tookMs.set(payload.n, performance.now() - (sentAt[payload.n] ?? Number.NaN))
  })
  const emit = emitter(platform.origin, workspace)
  const total = PER_SECOND * (WARM_UP_SECONDS + SECONDS)
  const beganAt = performance.now()
  const calls: Promise<void>[] = []
  for (let from = 0; from < total; from += AT_ONCE) {
    const numbers = Array.from({ length: AT_ONCE }, (_, index) => from + index)
    const dueAt = beganAt + (from / PER_SECOND) * 1000
    await pause(Math.max(0, dueAt - performance.now()))
    for (const number of numbers) sentAt[number] = performance.now()
    calls.push(emit(...numbers.map((n) => ({ n }))))
  }
  await Promise.all(calls)
  const endsAt = performance.now() + PATIENCE_MS
  while (tookMs.size < total && performance.now() < endsAt) await pause(100)
  if (tookMs.size < total) throw new Error(`${total - tookMs.size} of ${total} effects were never seen.`)
  const sorted = [...tookMs]
    .filter(([number]) => number >= PER_SECOND * WARM_UP_SECONDS)
    .map(([, ms]) => ms)
    .toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? Number.NaN
  const name = `event → effect of the run it triggered, ${PER_SECOND}/s:`
  return [
    { name: `${name} p50`, value: at(0.5), unit: 'ms' },
    { name: `${name} p99`, value: at(0.99), unit: 'ms', goal: 50, needed: 120 },
  ]
}
