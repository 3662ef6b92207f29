import { rounds } from '@platform/testing'
import { describe, expect, test } from 'vitest'
import { randomOf, randomProgram } from '../../test/programs.ts'
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
import type { Segment } from '../automations/journal-entries.ts'
import { TimeSlices } from '../automations/time-slices.ts'
import type { Fetches } from '../fetches/fetches.ts'
import { type ReadOptions, readRun } from './read-run.ts'
import { type SeenLimits, type SeenList, SeenSteps } from './seen-steps.ts'
import { watchSteps } from './step-watch.ts'

const URL = 'http://outside.example/'
const everything: SeenLimits = { steps: 1e5, list: 1e5, value: 1e5, all: 1e9 }
const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** Answers differ each time and come in any order. */
function fetchesOf(random: () => number): Fetches {
  let count = 0
  return {
    ...testFetches(),
    send: async () => {
      const answer = { count: ++count, odd: random() < 0.5 }
      for (let turns = Math.floor(random() * 6); turns > 0; turns -= 1) await nextTurn()
      const bytes = Buffer.from(JSON.stringify(answer))
      return { status: 200, headers: { 'content-type': 'application/json' }, bytes }
    },
  }
}

const order = {
  runId: '01900000-0000-7000-8000-000000000000',
  payload: {},
  trigger: { type: 'event', value: 'go' },
  subject: { userId: 'ada', sessionId: 'session' },
  correlationId: 'correlation',
  depth: 0,
} as const

/** What one run did, as it was seen while it did it, and what is kept of it. */
async function live(program: TestAutomations, seed = 1) {
  const workspace = compiled(program)
  const automation = await workspace.compile('main')
  if (automation === undefined) throw new Error('There must be an automation "main".')
  const contexts = {
    load: async (_: string, context: string) => ({
      values: { global: { counted: 0, other: 1 } }[context] ?? {},
      ending: [],
    }),
  }
  const parts: EngineParts = testEngineParts({
    contexts,
    fetches: fetchesOf(randomOf(seed)),
    contextSizes: { run: 1e5, user: 1e5, session: 1e5, global: 1e5, socket: 1e5 },
  })
  const seen = new SeenSteps(everything, () => 0)
  const segments: Segment[] = []
  const commit = async ({ segment }: Effects) => {
    if (segment !== undefined) segments.push(segment)
  }
  const observer = watchSteps({ seen, lookUp: () => undefined, finish: () => undefined })
  const whole = { ...order, workspace, automation }
  const started = testEngine(parts).start({
    ...whole,
    timeLimitMs: 10_000,
    repeatable: true,
    commit,
    observer,
  })
  const outcome = await started.outcome
  const committed = [...segments]
  if (started.journal !== undefined) segments.push(started.journal.close())
  const read = async (kept: readonly Segment[], options: Partial<ReadOptions> = {}, limits = everything) => {
    const again = new SeenSteps(limits, () => 0)
    const was = await readRun(
      {
        slices: new TimeSlices(),
        readingEngine: (slices) =>
          readingEngine(
            { ...parts, contexts: { load: async () => ({ values: { x: 1 }, ending: [] }) } },
            slices,
          ),
      },
      { ...whole, segments: kept },
      {
        maxMs: 10_000,
        observe: ({ lookUp, finish }) => watchSteps({ seen: again, lookUp, finish }),
        onStop: () => {
          again.isFrozen = true
        },
        ...options,
      },
    )
    return { ...was, seen: again }
  }
  return { outcome, seen, segments, committed, read }
}

/** Without what is of this moment. */
const plain = (list: SeenList): unknown => JSON.parse(JSON.stringify(list.steps))

const countOf = (list: SeenList): number => list.steps.reduce((sum, step) => sum + 1 + countOf(step), 0)

const PROGRAMS = rounds(40, 400)

describe('a run whose journal is read', () => {
  test(`shows each step as it was seen while it was done (${PROGRAMS} programs)`, async () => {
    let steps = 0
    for (let seed = 1; seed <= PROGRAMS; seed += 1) {
      const { outcome, seen, segments, read } = await live(randomProgram(seed, URL), seed)
      const was = await read(segments)
      expect(was.stopped, `program ${seed}`).toBeUndefined()
      expect(plain(was.seen.top), `program ${seed}`).toEqual(plain(seen.top))
      expect(was.outcome?.output).toEqual(outcome.output)
      steps += countOf(seen.top)
    }
    expect(steps).toBeGreaterThan(PROGRAMS * 10)
  }, 300_000)

  test('that has not ended shows what it did up to its last commit, and asks nobody', async () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      const { seen, committed, read } = await live(randomProgram(seed, URL), seed)
      for (const upTo of committed.keys()) {
        const was = await read(committed.slice(0, upTo + 1))
        expect(was.stopped?.reason, `program ${seed}`).toBe('journal')
        expect(was.stopped?.number).toBe(committed[upTo]?.upto)
        expect(was.seen.ended).toBeLessThanOrEqual(seen.ended)
      }
    }
  }, 60_000)

  test('is another when its automation was changed', async () => {
    const first = await live({
      main: { do: [{ fetch: { url: URL, output: 'a' } }, { emit: { event: 'told' } }] },
    })
    const other = await live({
      main: { do: [{ emit: { event: 'told' } }, { fetch: { url: URL, output: 'a' } }] },
    })
    expect((await other.read(first.segments)).stopped?.reason).toBe('changed')
  })

  test('can be read up to any of its effects', async () => {
    const tell = { emit: { event: 'told' } }
    const { segments, read } = await live({ main: { do: [tell, { fetch: { url: URL } }, tell, tell] } })
    for (const until of [0, 1, 2, 3]) {
      const was = await read(segments, { until })
      expect(was.stopped).toEqual({ reason: 'journal', number: until })
      expect(was.seen.ended).toBe(until)
    }
  })

  test('of 100,000 steps has no more than may be shown, and says how many are left out', async () => {
    const { segments, read } = await live({
      main: { do: [{ repeat: { until: 100_000, do: [{ set: { name: 'a', value: '{{$index}}' } }] } }] },
    })
    const { seen, stopped } = await read(segments, {}, { steps: 1000, list: 100, value: 10_000, all: 1e6 })
    expect(stopped).toBeUndefined()
    expect(seen.count).toBe(100_001)
    expect(seen.top.steps[0]).toMatchObject({ more: 99_900, morePlace: 'do[0].repeat#100.do[0].set' })
    expect(countOf(seen.top)).toBe(101)
  })

  test('ends when it has worked for as long as it may', async () => {
    const { segments, read } = await live({
      main: { do: [{ repeat: { until: 1000, do: [{ set: { name: 'a', value: 1 } }] } }] },
    })
    const { seen, stopped } = await read(segments, { maxMs: -1 })
    expect(stopped?.reason).toBe('time')
    expect(seen.count).toBeLessThan(100)
  })

  test('keeps no more values than may be shown', async () => {
    const { segments, read } = await live({
      main: { do: [{ repeat: { until: 300, do: [{ set: { name: 'a', value: 'x'.repeat(9000) } }] } }] },
    })
    const { seen } = await read(segments, {}, { steps: 1000, list: 1000, value: 10_000, all: 1e6 })
    expect(seen.full?.reason).toBe('size')
    expect(JSON.stringify(seen.top).length).toBeLessThan(1_200_000)
    const { seen: small } = await read(segments, {}, { steps: 1000, list: 1000, value: 100, all: 1e6 })
    expect(small.top.steps[0]?.steps[1]?.changed).toMatchObject([{ after: { truncated: true } }])
  })
})
