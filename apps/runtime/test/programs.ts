import type { TestAutomation, TestAutomations } from './testing.ts'

type Step = Record<string, unknown>

/** Numbers in [0, 1), the same for the same seed. */
export function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Everything that a step before may have changed: a request that shows it differs when the run came another way. */
const STATE = {
  a: '{{a}}',
  b: '{{b}}',
  asked: '{{asked}}',
  counted: '{{global.counted}}',
  other: '{{global.other}}',
  whole: '{{user}}',
  last: '{{item}}',
}

const AT_ONCE = { attempts: 2, backoff: 0 }
/** Waits in one program. */
const MAX_WAITS = 3

/** Counts in a shared context, and tells of it: as many events as were counted. */
const countOnce: Step[] = [
  { set: { name: 'global.counted', value: '{% {{global.counted}} + 1 %}' } },
  { emit: { event: 'counted', payload: { at: '{{global.counted}}' } } },
]

/**
 * A random automation `main` whose branches race for the same variables, with an automation that it calls. It asks
 * `url`, and ends with a question that shows all it has come to. Of its waits `short` ones
 * are over before it could be given up.
 */
export function randomProgram(
  seed: number,
  url: string,
  { waits: kind = 'none' }: { waits?: 'none' | 'short' | 'long' } = {},
): TestAutomations {
  const random = randomOf(seed)
  const below = (count: number) => Math.floor(random() * count)
  let isCalled = true
  const name = () => ['a', 'b', 'global.noted', 'session.seen', 'run.step'][below(5)] ?? 'a'
  const ask = (output: string): Step => ({ fetch: { url, method: 'post', body: STATE, output } })
  let made = 0
  /** A run of many waits is done again from its beginning after each of them. */
  const seldom = (some: Step[]): Step[] => {
    made += 1
    return made <= MAX_WAITS ? some : []
  }
  const waitFor = (timeout: string): Step[] => [
    { wait: { oneOf: [{ event: `told.${below(3)}` }, { event: 'counted' }], timeout, output: 'woken' } },
    { set: { name: name(), value: '{{woken.type}} {{woken.id}}' } },
  ]
  const waits: (() => Step[])[] = [
    () => seldom([{ wait: { timeout: `${below(2)}ms` } }]),
    () => seldom(waitFor(kind === 'long' && below(2) === 0 ? '1h' : '2ms')),
    () => seldom([{ wait: { timeout: kind === 'long' ? '5m' : 0 } }]),
  ]
  const simple: (() => Step[])[] = [
    () => [{ set: { name: name(), value: `{{a}}-${below(100)}` } }],
    () => [{ set: { name: 'b', value: '{% rand(1, 1000000) %}' } }],
    () => [{ set: { name: 'a', value: '{% uuid() %}' } }],
    () => [{ set: { name: 'b', value: '{{run.date}}' } }],
    () => [{ set: { name: 'a', value: '{{global.other}}' } }],
    () => [{ delete: { name: name() } }],
    () => [{ emit: { event: `told.${below(3)}`, payload: STATE } }],
    () => [{ runWorkflow: { workflow: 'started', wait: false, parameters: { a: '{{a}}' } } }],
    () => countOnce,
    () => [ask('asked')],
    () => [ask(name())],
    ...(kind === 'none' ? [] : waits),
  ]
  const steps = (depth: number): Step[] =>
    Array.from({ length: 1 + below(4) }, () => (depth > 0 && random() < 0.5 ? nested(depth) : pick())).flat()
  const pick = () => simple[below(simple.length)]?.() ?? []
  const nested = (depth: number): Step[] => {
    const inner = () => steps(depth - 1)
    const kinds: (() => Step)[] = [
      () => ({ all: [{ conditions: { '1': inner() } }, { conditions: { '1': inner() } }, ...inner()] }),
      () => ({ repeat: { on: [1, 2, 3, 4], batch: { size: 1 + below(3), interval: 1 }, do: inner() } }),
      () => ({ repeat: { until: 1 + below(3), do: inner() } }),
      () => ({ try: { do: [...inner(), { unknown: {} }], catch: inner(), finally: inner() } }),
      () => ({
        try: { do: [{ conditions: { '1': [...inner(), { unknown: {} }] }, retry: AT_ONCE }], catch: inner() },
      }),
      () => ({ conditions: { '{{asked.odd}}': inner(), default: inner() } }),
      () => (isCalled ? { all: inner() } : { called: { output: name() } }),
    ]
    return [kinds[below(kinds.length)]?.() ?? {}]
  }
  const called = steps(1)
  isCalled = false
  const main = [...steps(3), ask('asked')]
  return {
    main: { when: { events: ['go'] }, do: main, output: '{{asked}}' } as TestAutomation,
    called: { do: called, output: '{{a}}' } as TestAutomation,
    started: {},
  }
}
