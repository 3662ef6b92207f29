import { createHash } from 'node:crypto'
import { rounds } from '@platform/testing'
import { describe, expect, test } from 'vitest'
import { randomProgram } from '../../test/programs.ts'
import {
  compiled,
  type TestAutomations,
  testEngine,
  testEngineParts,
  testFetches,
} from '../../test/testing.ts'
import { readingEngine } from '../automations/automations-part.ts'
import type { Effects } from '../automations/effect-buffer.ts'
import type { EngineParts } from '../automations/engine.ts'
import { forkedSegment, type Segment, type SetBefore } from '../automations/journal-entries.ts'
import { TimeSlices } from '../automations/time-slices.ts'
import type { Fetches } from '../fetches/fetches.ts'
import { copyJournal, rehearse } from './copy-journal.ts'

const URL = 'http://outside.example/'

interface Waiting {
  readonly body: string
  readonly answer: () => void
}

/** Whoever asks the same gets the same; of those that ask at once each time the same one is first. */
function fetchesOf(asked: string[]): Fetches {
  let waiting: Waiting[] = []
  const answerAll = async () => {
    // Until nobody asks any more who does not wait for an answer.
    for (let count = 0, turns = 0; turns < 20; turns += 1) {
      await new Promise(setImmediate)
      if (waiting.length > count) turns = 0
      count = waiting.length
    }
    const all = waiting.toSorted((one, other) => one.body.localeCompare(other.body))
    waiting = []
    for (const { answer } of all) answer()
  }
  return {
    ...testFetches(),
    send: async ({ body = '' }) => {
      asked.push(body)
      if (waiting.length === 0) void answerAll()
      await new Promise<void>((resolve) => waiting.push({ body, answer: resolve }))
      const count = createHash('sha256').update(body).digest().readUInt16BE(0)
      const bytes = Buffer.from(JSON.stringify({ count, odd: count % 2 === 1 }))
      return { status: 200, headers: { 'content-type': 'application/json' }, bytes }
    },
  }
}

/** Without pauses, so that nothing is a matter of chance. */
const withoutPauses = (program: TestAutomations) => {
  const text = JSON.stringify(program).replaceAll('"interval":1', '"interval":0')
  return JSON.parse(text.replaceAll('"attempts":2', '"attempts":1')) as TestAutomations
}

const order = {
  runId: '01900000-0000-7000-8000-000000000000',
  payload: {},
  trigger: { type: 'event', value: 'go' },
  subject: { userId: 'ada', sessionId: 'session' },
  correlationId: 'correlation',
  depth: 0,
} as const

const FORK = '01900000-0000-7000-8000-000000000001'
const at = new Date('2026-11-23T12:00:00Z')

/** Does a program in a world that stands still, from its beginning or from where a journal ends. */
async function run(program: TestAutomations, begins: readonly Segment[] = []) {
  const workspace = compiled(program)
  const automation = await workspace.compile('main')
  if (automation === undefined) throw new Error('There must be an automation "main".')
  const asked: string[] = []
  const parts: EngineParts = testEngineParts({
    clock: { now: () => at },
    contexts: {
      load: async (_: string, context: string) => ({
        values: { global: { counted: 0, other: 1 } }[context] ?? {},
        ending: [],
      }),
    },
    fetches: fetchesOf(asked),
    contextSizes: { run: 1e5, user: 1e5, session: 1e5, global: 1e5, socket: 1e5 },
  })
  const segments: Segment[] = [...begins]
  const done: string[] = []
  const keep = ({ events, queued, segment }: Effects) => {
    done.push(...events.map(({ type, payload }) => JSON.stringify([type, shown(payload)])))
    done.push(...queued.map(({ automationSlug, input }) => JSON.stringify([automationSlug, input.payload])))
    if (segment !== undefined) segments.push(segment)
  }
  const whole = { ...order, workspace, automation }
  const runId = begins.length === 0 ? order.runId : FORK
  const started = testEngine(parts).start({
    ...whole,
    runId,
    timeLimitMs: 10_000,
    repeatable: true,
    segments: begins,
    commit: async (effects) => keep(effects),
  })
  const outcome = await started.outcome
  keep(outcome.effects)
  if (started.journal !== undefined) segments.push(started.journal.close())
  const reading = {
    slices: new TimeSlices(),
    readingEngine: (slices: EngineParts['slices']) => readingEngine(parts, slices),
  }
  return {
    outcome,
    asked,
    done: done.sort(),
    last: started.journal?.number ?? 0,
    copy: (number: number) => copyJournal(reading, { ...whole, segments }, number),
    rehearse: () => rehearse(reading, { ...whole, segments }),
  }
}

/** Without what is of one run and one moment. */
const shown = (payload: unknown) => {
  const { startedAt: _startedAt, duration: _duration, ...rest } = Object(payload) as Record<string, unknown>
  return JSON.parse(JSON.stringify(rest).replaceAll(FORK, order.runId)) as unknown
}

/** Those of `all` that are not among `some`, as often as they come. */
function without(all: readonly string[], some: readonly string[]): string[] {
  const left = [...all]
  for (const one of some) {
    const index = left.indexOf(one)
    if (index >= 0) left.splice(index, 1)
  }
  return left
}

async function fork(
  original: Awaited<ReturnType<typeof run>>,
  program: TestAutomations,
  number: number,
  sets: readonly SetBefore[] = [],
) {
  const { copied } = await original.copy(number)
  if (copied === undefined) throw new Error(`There must be an effect ${number}.`)
  return await run(program, [forkedSegment(copied, sets)])
}

const PROGRAMS = rounds(20, 200)

describe('a fork', () => {
  test(`with nothing changed ends as the original did, and does the rest of it (${PROGRAMS} programs)`, async () => {
    let forks = 0
    for (let seed = 1; seed <= PROGRAMS; seed += 1) {
      const program = withoutPauses(randomProgram(seed, URL))
      const original = await run(program)
      for (const number of [1, 2, Math.ceil(original.last / 2), original.last]) {
        const place = `program ${seed}, from effect ${number} of ${original.last}`
        const forked = await fork(original, program, number)
        expect(forked.outcome.error, place).toBeUndefined()
        // In the middle of a race others may be first than were.
        const isRace = number > 1 && number < original.last && /"(all|batch)"/.test(JSON.stringify(program))
        if (isRace) continue
        expect(forked.outcome.output, place).toEqual(original.outcome.output)
        expect(forked.last, place).toBe(original.last)
        // Nothing but what the original did as well, and nothing of that twice.
        expect(without(forked.done, original.done), place).toEqual([])
        expect(without(forked.asked, original.asked), place).toEqual([])
        if (number === 1) expect(forked.done, place).toEqual(original.done)
        if (number === original.last) expect(forked.asked, place).toEqual([])
        forks += 1
      }
    }
    expect(forks).toBeGreaterThanOrEqual(PROGRAMS * 2)
  }, 120_000)

  test('does not come further than what the run did', async () => {
    const original = await run({ main: { do: [{ emit: { event: 'a' } }] } })
    expect(original.last).toBe(2)
    expect((await original.copy(3)).copied).toBeUndefined()
    expect((await original.copy(2)).copied).toMatchObject({ upto: 1 })
  })

  const ask = { fetch: { url: URL, method: 'post', body: { n: '{{n}}' }, output: 'asked' } }
  const steps: TestAutomations = {
    main: {
      do: [
        { set: { name: 'n', value: 1 } },
        ask,
        { set: { name: 'global.counted', value: '{% {{global.counted}} + 1 %}' } },
        { emit: { event: 'told', payload: { n: '{{n}}', counted: '{{global.counted}}' } } },
      ],
      output: { n: '{{n}}', counted: '{{global.counted}}', asked: '{{asked.count}}' },
    },
  }

  test('begins with the variables that were changed, and with the answers that were there', async () => {
    const original = await run(steps)
    const sets = [
      { path: 'n', value: 7 },
      { path: 'global.counted', value: 40 },
    ]
    const forked = await fork(original, steps, 2, sets)
    expect(forked.asked).toEqual([])
    const { asked } = Object(original.outcome.output)
    expect(forked.outcome.output).toEqual({ n: 7, counted: 41, asked })
    expect(forked.done.filter((one) => one.includes('told'))).toEqual(['["told",{"n":7,"counted":41}]'])
  })

  test('that another process takes over keeps what was changed', async () => {
    const { copied } = await (await run(steps)).copy(2)
    if (copied === undefined) throw new Error('There must be a journal.')
    const begins = [forkedSegment(copied, [{ path: 'n', value: 7 }])]
    // Its first commit was made, and nothing more.
    const first = await run(steps, begins)
    expect((await run(steps, begins)).done).toEqual(first.done)
  })

  test('of which the automations do something else before is another', async () => {
    const original = await run(steps)
    const [before, now] = await Promise.all(
      [steps, { main: { ...steps.main, do: [{ emit: { event: 'new' } }, ...(steps.main?.do ?? [])] } }].map(
        async (program) => (await (await run(program)).copy(3)).copied?.place,
      ),
    )
    expect((await original.copy(3)).copied?.place).toBe(before)
    expect(now).not.toBe(before)
  })
})

test('a rehearsal lists what a run does, and where it failed', async () => {
  const run1 = await run({
    main: {
      do: [
        { emit: { event: 'a' } },
        { fetch: { url: `${URL}orders?key=secret`, method: 'post' } },
        { set: { name: 'global.counted', value: 1 } },
        { runWorkflow: { workflow: 'other', wait: false } },
        { called: {} },
      ],
    },
    other: {},
    called: { do: [{ missing: {} }] },
  })
  const { planned, outcome, slugs } = await run1.rehearse()
  expect(planned.list).toEqual([
    { number: 1, path: 'do[0].emit', automationSlug: 'main', kind: 'emit', summary: 'a' },
    {
      number: 2,
      path: 'do[1].fetch',
      automationSlug: 'main',
      kind: 'fetch',
      summary: 'POST http://outside.example/orders',
    },
    { number: 3, path: 'do[2].set', automationSlug: 'main', kind: 'set', summary: 'global.counted' },
    { number: 4, path: 'do[3].runWorkflow', automationSlug: 'main', kind: 'runWorkflow', summary: 'other' },
  ])
  expect(outcome?.failed).toMatchObject({ effects: 4, automationSlug: 'called' })
  expect([...slugs].sort()).toEqual(['called', 'main', 'missing', 'other'])
})
