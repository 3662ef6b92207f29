import { type Platform, processTree } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call, feed, newWorkspace, saveAutomation } from '../support/caller.ts'
import { askedAgain, countedOnce, countingAutomations, startSlowOutside } from '../support/counting-runs.ts'
import { environmentOf } from '../support/processes.ts'
import { separateShape } from '../support/shapes.ts'
import { watchTakeovers } from '../support/takeovers.ts'

/** How often a runtime is killed, and how many runs a second begin meanwhile. */
const KILLS = Number(process.env.KILLS ?? '40')
const RATE = Number(process.env.KILLED_RUNS_RATE ?? '50')
/** How long one that was stopped stands still: longer than its lease. */
const STOPPED_MS = Number(process.env.STOPPED_MS ?? '20000')
/** 1 as in production: a process of their own executes the runs of each runtime. */
const { RUNTIME_PROCESSES = '1' } = process.env
/** How long after a death its runs are in other hands; a machine that starts things all the time gets as much again. */
const TAKEOVER_MS = 5000
/** Kills between which nothing else dies, and how long each comes after the one before. */
const CALM_KILLS = 6
const CALM_MS = 3000
const TICK_MS = 200
const names = ['runtime-1', 'runtime-2', 'runtime-3'] as const

describe.runIf(separateShape !== undefined)('runs of runtimes that are killed and stopped', () => {
  let platform: Platform
  let outside: Awaited<ReturnType<typeof startSlowOutside>>
  beforeAll(async () => {
    outside = await startSlowOutside({ leastMs: 20, mostMs: 300 })
    platform = (await separateShape?.start(
      { FETCH_ALLOWED_HOSTS: '127.0.0.0/8', GATEWAY_MAX_LAG_MS: '10000', RUNTIME_PROCESSES },
      { counts: { runtime: 3 } },
    )) as Platform
  })
  afterAll(async () => {
    await platform?.[Symbol.asyncDispose]()
    await outside?.[Symbol.asyncDispose]()
  })

  /** All of an instance at once, as with its container; then of another the process alone that executes runs. */
  async function strike(kill: number): Promise<void> {
    const name = names[kill % names.length] ?? names[0]
    const instance = platform.process(name)
    const below = processTree(instance.pid).slice(1)
    const serving = below.filter(isServing)
    const isWhole = kill % 2 === 0 || serving.length === 0
    for (const pid of isWhole ? [instance.pid, ...below] : serving) killed(pid)
    if (!isWhole) return
    await instance.stop('SIGKILL')
    await platform.restart(name)
  }

  test(`end once each, with ${KILLS} kills at ${RATE} runs a second`, {
    timeout: 300_000 + KILLS * 15_000,
  }, async () => {
    const { token } = await administrator(platform)
    const workspaceId = await newWorkspace(platform.origin, token)
    for (const automation of countingAutomations(outside.url))
      await saveAutomation(platform.origin, token, workspaceId, automation)
    const takeovers = await watchTakeovers(platform.env.DATABASE_URL ?? '')
    const startedAt = performance.now()
    let begun = 0
    let isOver = false
    // A machine that can't keep up is asked for less instead of being drowned.
    const underWay = () =>
      begun - new Set(outside.asked.filter(({ step }) => step === '3').map(({ n }) => n)).size
    const load = (async () => {
      while (!isOver) {
        if (underWay() > RATE * 5) {
          await new Promise((resolve) => setTimeout(resolve, TICK_MS))
          continue
        }
        const size = Math.round((RATE * TICK_MS) / 1000)
        const payloads = Array.from({ length: size }, (_, at) => ({
          n: String(begun + at),
          key: `c${begun + at}`,
        }))
        const events = payloads.map((payload) => ({ type: 'killed.cause', payload }))
        const tick = new Promise((resolve) => setTimeout(resolve, TICK_MS))
        const sent = await call(platform.origin, 'POST', `/v2/workspaces/${workspaceId}/events`, {
          token,
          body: { events },
        })
        expect(sent.status, sent.text).toBe(200)
        begun += size
        await tick
      }
    })()
    for (let kill = 0; kill < KILLS; kill += 1) {
      await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 800))
      await strike(kill)
    }
    const rate = begun / ((performance.now() - startedAt) / 1000)
    // Who takes over may be the next to die, so that how fast it is shows where those that live are left alone.
    const inStorm = (await takeovers.untilNone()).length
    for (let kill = 0; kill < CALM_KILLS; kill += 1) {
      await new Promise((resolve) => setTimeout(resolve, CALM_MS))
      await strike(kill)
      await takeovers.untilNone()
    }
    const takenMs = (await takeovers.stop()).slice(inStorm).sort((one, other) => one - other)
    // Of one that stands still for longer than its lease the others take over; what it writes then counts no more.
    const { pid } = platform.process(names[0])
    process.kill(pid, 'SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, STOPPED_MS))
    process.kill(pid, 'SIGCONT')
    isOver = true
    await load

    const told = async (type: string) =>
      (await feed(platform.origin, token, workspaceId, `types=${type}`))
        .map(({ payload }) => payload)
        .sort((one, other) => one.n - other.n)
    const unfinished = `/v2/workspaces/${workspaceId}/runs?status=queued,running,waiting`
    await vi.waitFor(
      async () => {
        expect((await call(platform.origin, 'GET', unfinished, { token })).json.runs).toEqual([])
        expect((await told('killed.done')).length).toBeGreaterThanOrEqual(begun)
      },
      { timeout: 240_000, interval: 3000 },
    )
    expect(await told('killed.done')).toEqual(Array.from({ length: begun }, (_, n) => countedOnce(n)))
    const questions = (of: (one: (typeof outside.asked)[number]) => string) =>
      new Set(outside.asked.map(of)).size
    expect(questions(({ n, step }) => `${n} ${step}`)).toBe(begun * 3)
    expect(questions(({ n, step, key }) => `${n} ${step} ${key}`)).toBe(begun * 3)
    expect(askedAgain(outside.asked)).toEqual([])
    const [typical = 0, longest = 0] = [takenMs[Math.floor(takenMs.length / 2)], takenMs.at(-1)]
    console.log(
      `${KILLS} kills, ${begun} runs, ${rate.toFixed(1)} a second while they went on, ` +
        `${outside.asked.length - begun * 3} questions repeated, ${inStorm} claims taken over; ` +
        `then ${takenMs.length} in ${CALM_KILLS} kills: half within ${Math.round(typical)} ms, ` +
        `all within ${Math.round(longest)} ms`,
    )
    expect(takenMs.length).toBeGreaterThan(0)
    expect(typical).toBeLessThan(TAKEOVER_MS)
    expect(longest).toBeLessThan(2 * TAKEOVER_MS)
  })
})

/** Whether a process executes runs beside others (packages/service/src/processes/contained.ts). */
const isServing = (pid: number): boolean => environmentOf(pid).includes('PLATFORM_CONTAINED_AS=serving')

/** Kills a process, unless it is gone already. */
function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
