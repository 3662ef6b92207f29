import type { EventRecord } from '@platform/contracts'
import { defaultEventLimits } from '@platform/outbox'
import { rounds } from '@platform/testing'
import { describe, expect, test } from 'vitest'
import { randomOf, randomProgram } from '../../test/programs.ts'
import { compiled, noEvents, type TestAutomations, testEngine, testFetches } from '../../test/testing.ts'
import type { Fetches } from '../fetches/fetches.ts'
import type { Cancellation } from './active-run-parts.ts'
import type { Effects } from './effect-buffer.ts'
import type { RunOutcome } from './engine.ts'
import type { Segment } from './journal-entries.ts'
import { TimeSlices } from './time-slices.ts'
import type { ParkedRun, Received, WaitInbox } from './wait-inbox.ts'

const URL = 'http://outside.example/'
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

interface KeptWait {
  readonly types: readonly string[]
  event?: EventRecord
  isClosed?: boolean
}

/** What outlives a process: what was committed of one run, and who was asked what. */
class World {
  readonly segments: Segment[] = []
  readonly events: string[] = []
  readonly types: string[] = []
  readonly queued: string[] = []
  readonly stored = new Map<string, Record<string, unknown>>([['global', { counted: 0, other: 0 }]])
  readonly requests = new Map<string, string>()
  readonly asked: string[] = []
  readonly faults: string[] = []
  readonly waits = new Map<number, KeptWait>()
  #look: (() => void) | undefined
  /** How much later it is in this world: nobody waits for an hour. */
  #laterMs = 0
  readonly #random: () => number
  #workspace: ReturnType<typeof compiled>
  cancellation: Cancellation | undefined
  email: string | undefined
  commits = 0
  parkings = 0
  life = 0

  constructor(seed: number, program: TestAutomations) {
    this.#random = randomOf(seed)
    this.#workspace = compiled(program)
  }

  save(program: TestAutomations): void {
    this.#workspace = compiled(program)
  }

  /** Does the run; undefined where its process died at the commit of this number, before or after it was made. */
  async live(
    dies?: { at: number; isMade: boolean },
    { cancelAt = 0 }: { cancelAt?: number } = {},
  ): Promise<RunOutcome | undefined> {
    this.life += 1
    const died = Promise.withResolvers<undefined>()
    let isAlive = true
    const commit = async (effects: Effects): Promise<void> => {
      this.commits += 1
      if (this.commits === cancelAt) {
        this.cancellation = { reason: 'enough', requests: 1 }
        run.cancel(this.cancellation)
      }
      if (isAlive && this.commits !== dies?.at) return this.#keep(effects)
      if (isAlive && dies?.isMade === true) this.#keep(effects)
      isAlive = false
      died.resolve(undefined)
      await new Promise(() => undefined)
    }
    const automation = await this.#workspace.compile('main')
    if (automation === undefined) throw new Error('There must be an automation "main".')
    const { run, outcome } = testEngine({
      clock: { now: () => new Date(Date.now() + this.#laterMs) },
      waits: this.#inbox(() => isAlive),
      fetches: this.#fetches(() => isAlive),
      slices: new TimeSlices(),
      events: defaultEventLimits,
      contexts: {
        load: async (_, context) => ({ values: structuredClone(this.stored.get(context) ?? {}), ending: [] }),
      },
      contextSizes: { run: 1e5, user: 1e5, session: 1e5, global: 1e5, socket: 1e5 },
      emailOf: async () => this.email,
    }).start({
      runId: '01900000-0000-7000-8000-000000000000',
      workspace: this.#workspace,
      automation,
      payload: {},
      trigger: { type: 'event', value: 'go' },
      subject: { userId: 'ada', sessionId: 'session' },
      correlationId: 'correlation',
      depth: 0,
      timeLimitMs: 10_000,
      repeatable: true,
      segments: structuredClone(this.segments),
      cancellation: this.cancellation,
      commit,
    })
    const ended = await Promise.race([outcome, died.promise])
    if (ended?.parked !== undefined) return await this.#goOnLater(ended, ended.parked, dies, cancelAt)
    if (ended !== undefined) this.#keep(ended.effects)
    return ended
  }

  /** The run was given up until a wait is over. */
  async #goOnLater(
    { effects }: RunOutcome,
    { leftMs }: ParkedRun,
    dies: { at: number; isMade: boolean } | undefined,
    cancelAt: number,
  ): Promise<RunOutcome | undefined> {
    this.commits += 1
    if (this.commits === cancelAt) this.cancellation = { reason: 'enough', requests: 1 }
    this.parkings += 1
    const isDead = this.commits === dies?.at
    if (!isDead || dies.isMade) this.#keep(effects)
    if (isDead) return undefined
    if (![...this.waits.values()].some(({ event }) => event !== undefined)) this.#laterMs += leftMs
    return await this.live(dies, { cancelAt })
  }

  #inbox(isAlive: () => boolean): WaitInbox {
    const received = async () => {
      if (!isAlive()) return await new Promise<Received>(() => undefined)
      const over = [...this.waits].filter(([, one]) => one.event !== undefined || one.isClosed === true)
      return { horizon: '0', answers: over.map(([number, { event = null }]) => ({ number, event })) }
    }
    return {
      ...noEvents,
      watch: (_, look) => {
        this.#look = () => isAlive() && look()
        return { [Symbol.dispose]: () => undefined }
      },
      list: received,
      close: async (_, number) => {
        const wait = this.waits.get(number)
        if (isAlive() && wait !== undefined && wait.event === undefined) wait.isClosed = true
        return await received()
      },
    }
  }

  #keepWaits({ events, waits = [], overWaits = [] }: Effects): void {
    for (const { number, oneOf } of waits) this.waits.set(number, { types: oneOf.map(({ event }) => event) })
    for (const number of overWaits) this.waits.delete(number)
    for (const wait of this.waits.values()) {
      const event = events.find(({ type }) => wait.types.includes(type))
      if (event === undefined || wait.event !== undefined || wait.isClosed === true) continue
      wait.event = event
      setImmediate(() => this.#look?.())
    }
  }

  #keep(effects: Effects): void {
    const { events, queued, patches, segment } = effects
    this.#keepWaits(effects)
    this.events.push(...events.map(({ id }) => id))
    this.types.push(...events.map(({ type }) => type))
    this.queued.push(...queued.map(({ id }) => id))
    for (const { context, content, removed } of patches) {
      const before = Object.entries(this.stored.get(context) ?? {}).filter(([key]) => !removed.includes(key))
      this.stored.set(context, structuredClone({ ...Object.fromEntries(before), ...content }))
    }
    if (segment !== undefined) this.segments.push(segment)
  }

  /** Answers differ each time and come in any order. */
  #fetches(isAlive: () => boolean): Fetches {
    return {
      ...testFetches(),
      send: async ({ body = '' }, { headers }) => {
        const key = headers['idempotency-key'] ?? ''
        if (!isAlive()) return await new Promise(() => undefined)
        const count = this.asked.push(key)
        if ((this.requests.get(key) ?? body) !== body)
          this.faults.push(`one key, two requests: ${this.requests.get(key)} and ${body}`)
        if (this.#committedKeys().includes(key)) this.faults.push('asked again for what was committed')
        this.requests.set(key, body)
        for (let turns = Math.floor(this.#random() * 6); turns > 0; turns -= 1) await nextTurn()
        const answer = { count, odd: this.#random() < 0.5, life: this.life }
        const bytes = Buffer.from(JSON.stringify(answer))
        return { status: 200, headers: { 'content-type': 'application/json' }, bytes }
      },
    }
  }

  #committedKeys(): string[] {
    const entries = this.segments.flatMap(({ entries: text }) => JSON.parse(text) as unknown[][])
    return entries.flatMap(([kind, , value]) =>
      kind === 'answer' && value !== null ? [(value as { key: string }).key] : [],
    )
  }
}

const PROGRAMS = rounds(12, 400)
const CANCELLED = rounds(8, 200)
/** Branches in which a cancellation may come between the step that counts and the one that tells of it. */
const PARTED = 2
/** Commits of each at which the process dies. */
const CUTS = rounds(3, 6)

/** The program with a `finally` around all of it that asks twice and counts once. */
function cleaning({ main = {}, ...others }: TestAutomations): TestAutomations {
  const ask = {
    fetch: {
      url: URL,
      method: 'post',
      body: { cleaning: true, a: '{{a}}', asked: '{{asked}}' },
      output: 'asked',
    },
  }
  const cleanUp = [ask, { emit: { event: 'cleaned', payload: { a: '{{a}}' } } }, ask]
  const steps = [
    { emit: { event: 'begun' } },
    { fetch: { url: URL } },
    { try: { do: main.do ?? [], finally: cleanUp } },
  ]
  return { ...others, main: { ...main, do: steps } }
}

const cutsOf = (count: number, random: () => number): number[] =>
  count <= CUTS
    ? Array.from({ length: count }, (_, index) => index + 1)
    : Array.from({ length: CUTS }, () => 1 + Math.floor(random() * count))

describe('a run that another process takes over', () => {
  test(`ends as one run, cut at any of its commits (${PROGRAMS} programs)`, async () => {
    let takeovers = 0
    let parkings = 0
    for (let seed = 1; seed <= PROGRAMS; seed += 1) {
      const program = randomProgram(seed, URL, { waits: seed % 4 === 0 ? 'long' : 'none' })
      const whole = new World(seed, program)
      await whole.live()
      for (const at of cutsOf(whole.commits, randomOf(seed))) {
        for (const isMade of [false, true]) {
          const world = new World(seed * 100 + at, program)
          const first = await world.live({ at, isMade })
          // Others write meanwhile what the run may have read.
          world.stored.set('global', { ...world.stored.get('global'), other: `later ${at}` })
          const outcome = first ?? (await world.live())
          const place = `program ${seed}, cut ${at}`
          expect(outcome?.error, place).toBeUndefined()
          expect(world.faults, place).toEqual([])
          expect(new Set(world.events).size, place).toBe(world.events.length)
          expect(new Set(world.queued).size, place).toBe(world.queued.length)
          const counted = world.types.filter((type) => type === 'counted').length
          expect(world.stored.get('global')?.counted, place).toBe(counted)
          takeovers += first === undefined ? 1 : 0
          parkings += world.parkings
        }
      }
    }
    expect(takeovers).toBeGreaterThan(PROGRAMS)
    expect(parkings).toBeGreaterThan(PROGRAMS / 2)
  }, 300_000)

  test(`and that was cancelled ends as one run, its finally done once (${CANCELLED} programs)`, async () => {
    const ends = { cancelled: 0, cleaned: 0 }
    for (let seed = 1; seed <= CANCELLED; seed += 1) {
      const program = cleaning(randomProgram(seed, URL))
      const whole = new World(seed, program)
      await whole.live()
      const cancelAt = 1 + (seed % Math.max(1, whole.commits))
      for (const later of [0, 1, 2, 3]) {
        for (const isMade of [false, true]) {
          const world = new World(seed * 100 + later, program)
          const first = await world.live({ at: cancelAt + later, isMade }, { cancelAt })
          const outcome = first ?? (await world.live())
          const place = `program ${seed}, cancelled at ${cancelAt}, cut ${later} later, ${isMade}`
          expect(outcome?.error?.message ?? 'enough', place).toContain('enough')
          expect(world.faults, place).toEqual([])
          expect(new Set(world.events).size, place).toBe(world.events.length)
          expect(new Set(world.queued).size, place).toBe(world.queued.length)
          const count = (type: string) => world.types.filter((one) => one === type).length
          const untold = Math.abs(Number(world.stored.get('global')?.counted) - count('counted'))
          expect(untold, place).toBeLessThanOrEqual(outcome?.error === undefined ? 0 : PARTED)
          const asked = [...world.requests.values()].filter((body) => body.includes('cleaning'))
          expect(count('cleaned'), place).toBe(asked.length > 0 ? 1 : 0)
          ends.cancelled += outcome?.error === undefined ? 0 : 1
          ends.cleaned += first === undefined && asked.length > 0 ? 1 : 0
        }
      }
    }
    expect(ends.cancelled).toBeGreaterThan(CANCELLED)
    expect(ends.cleaned).toBeGreaterThan(CANCELLED)
  }, 300_000)

  test('that comes to another place than before fails, and does nothing', async () => {
    const ask = { fetch: { url: URL, output: 'asked' } }
    const world = new World(1, { main: { do: [{ emit: { event: 'before' } }, ask, ask] } })
    await world.live({ at: 2, isMade: true })
    world.save({ main: { do: [{ set: { name: 'global.counted', value: 5 } }, ask, ask] } })
    const outcome = await world.live()
    expect(outcome?.error).toMatchObject({
      error: 'RunEnded',
      message: expect.stringContaining('came to another place than before'),
    })
    expect(world.asked).toHaveLength(1)
    expect(world.types).toEqual(['before', 'error'])
    expect(world.stored.get('global')).toEqual({ counted: 0, other: 0 })
  })

  test('without anything outside keeps nothing but its end', async () => {
    const world = new World(1, {
      main: { do: [{ set: { name: 'global.a', value: '{{run.date}}' } }, { emit: { event: 'told' } }] },
    })
    await world.live()
    expect(world.segments).toEqual([])
    expect(world.commits).toBe(0)
  })

  test('sees the clock, chance and the contexts it saw, though all of them have changed', async () => {
    const state =
      '{{run.date}} {% uuid() %} {% rand(1, 1000000) %} {{global.other}} {{session}} {{user.email}}'
    const world = new World(1, {
      main: { do: [{ fetch: { url: URL, method: 'post', body: { state } } }] },
    })
    world.email = 'ada@example.com'
    expect(await world.live({ at: 1, isMade: true })).toBeUndefined()
    world.stored.set('global', { other: 'changed' }).set('session', { new: true })
    world.email = 'other@example.com'
    await world.live()
    await world.live()
    expect(world.asked).toHaveLength(2)
    expect(new Set(world.asked).size).toBe(1)
    expect(world.faults).toEqual([])
  })

  test.each([
    ['and finds more room than before', 90_000, 0],
    ['and finds less room than before', 0, 90_000],
  ])('is refused what it was refused, %s', async (_, before, later) => {
    const ask = { fetch: { url: URL, method: 'post', body: { caught: '{{$error.name}}' } } }
    const grow = { set: { name: 'global.big', value: 'x'.repeat(50_000) } }
    const world = new World(1, { main: { do: [{ try: { do: [grow], catch: [] } }, ask, ask] } })
    world.stored.set('global', { other: 'x'.repeat(before) })
    expect(await world.live({ at: 2, isMade: true })).toBeUndefined()
    world.stored.set('global', { ...world.stored.get('global'), other: 'x'.repeat(later) })
    expect((await world.live())?.error).toBeUndefined()
    expect(new Set(world.requests.values())).toEqual(
      new Set([JSON.stringify(before === 0 ? {} : { caught: 'PayloadTooLarge' })]),
    )
    expect(Object.hasOwn(world.stored.get('global') ?? {}, 'big')).toBe(before === 0)
  })
})
