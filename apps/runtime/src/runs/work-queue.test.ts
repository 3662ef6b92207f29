import { createLogger } from '@platform/logging'
import { describe, expect, test, vi } from 'vitest'
import { compiled, testEngine } from '../../test/testing.ts'
import type { ClaimedRun, LeasedRun } from './run.ts'
import { WorkQueue } from './work-queue.ts'

const RUN_ID = '01900000-0000-7000-8000-000000000000'

const claimedRun = (attempt: number): ClaimedRun => ({
  id: RUN_ID,
  attempt,
  crashCount: attempt - 1,
  try: 0,
  slot: null,
  debounce: null,
  workspaceId: 'w0123456789abcde',
  automationSlug: 'main',
  triggerType: 'event',
  triggerValue: 'x',
  triggerId: null,
  correlationId: 'corr',
  revision: null,
  input: { payload: {}, caller: {}, depth: 0 },
  cancellation: null,
  horizon: '0',
})

/** A queue whose claims answer, in turn, what `claims` holds; of a worker that died it finds `abandoned`, in turn. */
function queueOf(
  claims: ClaimedRun[][],
  work: (held: LeasedRun) => Promise<void>,
  {
    leaseSeconds = 10,
    abandoned = [],
    onLook = () => undefined,
    holdBackMs = 3000,
  }: { leaseSeconds?: number; abandoned?: ClaimedRun[]; onLook?: () => void; holdBackMs?: number } = {},
) {
  const runs = {
    claimWoken: async () => [],
    claimOne: async () => [],
    claimAbandoned: async (_worker: string, _seconds: number, limit: number) => abandoned.splice(0, limit),
    claimQueued: async () => claims.shift() ?? [],
    extendLeases: async () => [],
    listNews: async () => [],
    release: async () => undefined,
  }
  const log = createLogger({ level: 'silent' })
  return new WorkQueue({
    runs,
    work: (_, held) => work(held),
    worker: () => 'w',
    lookForHolders: async () => {
      onLook()
      return { gone: [], isSettled: true }
    },
    listen: async () => ({ [Symbol.asyncDispose]: async () => undefined }),
    concurrency: 2,
    leaseSeconds,
    holdBackMs,
    pollMs: 20,
    log,
  })
}

const startedRun = async () => {
  const workspace = compiled({ main: {} })
  const automation = await workspace.compile('main')
  if (automation === undefined) throw new Error('There must be an automation.')
  return testEngine().start({
    ...{
      runId: RUN_ID,
      workspace,
      automation,
      payload: {},
      trigger: { type: 'event', value: 'x' },
      subject: {},
    },
    ...{ correlationId: 'c', depth: 0, timeLimitMs: 1000, repeatable: true, commit: async () => undefined },
  }).run
}

describe('the queue of an instance', () => {
  test('ends what it still works on when it claims the same run once more', async () => {
    const stopping = new AbortController()
    const isOver = Promise.withResolvers<void>()
    const held: LeasedRun[] = []
    let ended: (boolean | undefined)[] = []
    const queue = queueOf([[claimedRun(1)], [claimedRun(2)]], async (one) => {
      one.active = await startedRun()
      held.push(one)
      if (held.length === 1) return await isOver.promise
      ended = held.map(({ active }) => active?.hasEnded)
      stopping.abort()
      isOver.resolve()
    })
    queue.wake()
    await queue.jobs[0]?.run(stopping.signal)
    expect(ended).toEqual([true, false])
  })

  test.each([
    ['until it is let go', 60_000, (letGo: () => void) => letGo()],
    ['not for long', 150, () => undefined],
  ])('begins no queued run while it is held back, %s', async (_, holdBackMs, then) => {
    const stopping = new AbortController()
    const work = vi.fn(async () => undefined)
    const queue = queueOf([[claimedRun(1)]], work, { holdBackMs })
    const letGo = queue.holdBack()
    const working = queue.jobs[0]?.run(stopping.signal)
    await new Promise((resolve) => setTimeout(resolve, 80))
    expect(work).not.toHaveBeenCalled()
    then(letGo)
    await vi.waitFor(() => expect(work).toHaveBeenCalledOnce())
    stopping.abort()
    await working
  })

  test('gives the places of runs that a limit holds back to others, up to eight times as many', async () => {
    const stopping = new AbortController()
    const isOver = Promise.withResolvers<void>()
    const claims = Array.from({ length: 40 }, (_, index) => [
      { ...claimedRun(1), id: RUN_ID.replace(/.{3}$/, String(100 + index)), workspaceId: `w${index}` },
    ])
    let working = 0
    const queue = queueOf(claims, async (one) => {
      one.active = Object.defineProperty(await startedRun(), 'isWaiting', { value: true })
      working += 1
      await isOver.promise
    })
    queue.wake()
    const done = queue.jobs[0]?.run(stopping.signal)
    await vi.waitFor(() => expect(working).toBe(16), { timeout: 15_000 })
    stopping.abort()
    isOver.resolve()
    await done
    expect(working).toBe(16)
  }, 20_000)

  test('takes over what a dead one held before it begins anything, as soon as a place gets free', async () => {
    const stopping = new AbortController()
    const numbered = (number: number): ClaimedRun => ({
      ...claimedRun(1),
      id: RUN_ID.replace(/.{3}$/, String(number)),
    })
    const queued = Array.from({ length: 60 }, (_, at) => [numbered(100 + at)])
    const abandoned: ClaimedRun[] = []
    const begun: string[] = []
    const ends: (() => void)[] = []
    const work = async ({ claim }: LeasedRun) => {
      begun.push(claim.id.slice(-3))
      await new Promise<void>((resolve) => ends.push(resolve))
    }
    let looks = 0
    const onLook = () => {
      looks += 1
    }
    const queue = queueOf(queued, work, { abandoned, onLook })
    const done = queue.jobs[0]?.run(stopping.signal)
    await vi.waitFor(() => expect(begun).toHaveLength(2))
    abandoned.push(...[901, 902, 903].map(numbered))
    // They are found while there is no place.
    const looked = looks
    await vi.waitFor(() => expect(looks).toBeGreaterThan(looked + 1))
    for (let ended = 1; ended <= 3; ended += 1) {
      ends.shift()?.()
      await vi.waitFor(() => expect(begun).toHaveLength(2 + ended))
    }
    expect(begun.slice(2)).toEqual(['901', '902', '903'])
    stopping.abort()
    for (const end of ends.splice(0)) end()
    await done
  })

  test.each([
    [1, 333],
    [6, 2000],
    [60, 3000],
  ])('extends a lease of %i s every %i ms', (leaseSeconds, everyMs) => {
    const [, hold] = queueOf([], async () => undefined, { leaseSeconds }).jobs
    expect(Math.floor(hold?.everyMs ?? 0)).toBe(everyMs)
  })
})
