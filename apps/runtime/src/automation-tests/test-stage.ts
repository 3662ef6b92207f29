import { setImmediate as nextTurn } from 'node:timers/promises'
import { openMemoryCache } from '@platform/cache'
import {
  type AutomationTest,
  durationMs,
  EMIT_TOPIC,
  type EventRecord,
  mayTrigger,
} from '@platform/contracts'
import { derivedUuidv7, Failure } from '@platform/kernel'
import { buildRecord } from '@platform/outbox'
import { unlimited } from '@platform/rate-limits'
import { RunEnded } from '../automations/automation-failure.ts'
import type { Effects } from '../automations/effect-buffer.ts'
import { createEngine, type Engine, type RunOutcome } from '../automations/engine.ts'
import type { CompiledWorkspace, RunSubject, StepObserver, Trigger } from '../automations/model.ts'
import type { TestSettings } from '../automations/test-settings.ts'
import type { Share } from '../automations/time-slices.ts'
import { meteredSlices } from '../inspection/metered-slices.ts'
import { SeenSteps } from '../inspection/seen-steps.ts'
import { Unseen, watchSteps } from '../inspection/step-watch.ts'
import { MemoryTopics } from '../modules/topics/join-topic.ts'
import { listenToSteps, type StepCounts, type StepListener } from './coverage.ts'
import { type GivenEvent, orderOf, type StagedOrder, type StagedRun } from './staged-run.ts'
import { AnswersByName } from './stub-answers.ts'
import { TestCollections } from './test-collections.ts'
import { TestContexts } from './test-contexts.ts'
import { testElsewhere } from './test-elsewhere.ts'
import { TestEvents } from './test-events.ts'
import { TestFetches } from './test-fetches.ts'
import { testModules } from './test-modules.ts'
import { TestSecrets } from './test-secrets.ts'
import { TestTime } from './test-time.ts'
import { withStubs } from './test-workspace.ts'

export interface StageParts {
  readonly settings: TestSettings
  readonly workspace: CompiledWorkspace
  readonly test: AutomationTest
  readonly subject: RunSubject
  readonly role: string | undefined
  readonly counts: StepCounts
  /** True where steps are wanted. */
  readonly hasSteps: boolean
}

/** Milliseconds that a test may work, the steps it may take, and the characters it may keep. */
const MOST_MS = 2000
const MOST_STEPS = 100_000
const MOST_CHARACTERS = 20_000_000
/** Steps between two looks at the clock. */
const STRIDE = 64
/** No run of a test comes to it: its waits take no time. */
const TIME_LIMIT_MS = 86_400_000
const SEEN = { steps: 300, list: 100, value: 5000, all: 200_000 }

/** Everything around the runs of one test: time, events, waits, and what stands in for the outside. */
export class TestStage {
  readonly time: TestTime
  readonly contexts: TestContexts
  readonly collections: TestCollections
  readonly fetches: TestFetches
  readonly workspace: CompiledWorkspace
  readonly events = new TestEvents()
  readonly calls: { readonly automation: string; readonly arguments: unknown }[] = []
  readonly runs: StagedRun[] = []
  /** What the test lacks. */
  readonly problems: string[] = []
  readonly correlationId: string
  readonly #parts: StageParts
  readonly #engine: Engine
  readonly #slices: ReturnType<typeof meteredSlices>
  readonly #queue: StagedOrder[] = []
  readonly #base: string
  #busy = 0
  #later = 0
  #steps = 0
  #kept = 0

  constructor(parts: StageParts) {
    const { settings, test, role } = parts
    this.#parts = parts
    this.time = new TestTime(new Date(test.now ?? '2026-01-01T09:00:00Z'))
    this.#base = idOfTest(this.time.now())
    this.correlationId = this.idOf('correlation').replaceAll('-', '')
    this.contexts = new TestContexts(this.time)
    const idOf = (count: number) => this.idOf('record', count)
    const keeps = (size: number) => this.keep(size)
    this.collections = new TestCollections({ clock: this.time, keeps, idOf }, test.collections)
    const fail = (message: string) => this.fail(message)
    const timing = { timers: this.time, clock: this.time }
    this.fetches = new TestFetches({
      ...timing,
      stubs: test.fetches ?? [],
      settings: settings.fetchSettings,
      fail,
      keeps,
    })
    const stubsOf = (answers: AutomationTest['modules'], what: string, field: string) =>
      new AnswersByName({ answers, what, field, fail })
    const automations = stubsOf(test.automations, 'The automation', 'automations')
    this.workspace = this.#watched(withStubs(parts.workspace, automations, test.contexts?.config))
    const elsewhere = testElsewhere(automations, { fail, calls: (name, given) => this.#calls(name, given) })
    const secrets = new TestSecrets(test.contexts?.secret)
    const modules = stubsOf(test.modules, 'The function', 'modules')
    const functions = stubsOf(test.functions, 'The function', 'functions')
    const topics = new MemoryTopics()
    const cache = openMemoryCache(() => this.time.now().getTime())
    this.#slices = meteredSlices(settings.slices)
    this.#engine = createEngine({
      ...settings,
      ...timing,
      slices: { take: this.#slices.take, next: (share) => this.#nextSlice(share) },
      throttle: unlimited,
      fetches: this.fetches,
      limits: { take: (key, use) => cache.slide(key, use) },
      contexts: this.contexts,
      waits: this.events.inbox,
      listSecrets: async () => secrets.list(),
      roleOf: async () => role,
      elsewhere,
      emailOf: async () => undefined,
      stubs: {
        callModule: testModules({ modules, functions, collections: this.collections, secrets, fail }),
        reveal: (request) => secrets.reveal(request),
        secretsBehind: (references) => secrets.behind(references),
        joinTopic: (order) => topics.join(order),
      },
    })
    this.#plan(test)
  }

  /** The same each time, and another for each test and place. */
  idOf(...place: (string | number)[]): string {
    const { seed = '', name = '' } = this.#parts.test
    return derivedUuidv7(this.#base, seed, name, ...place)
  }

  /** Fails the test, whatever its automations do about it. */
  fail(message: string): never {
    this.problems.push(message)
    throw new RunEnded(new Failure('RunEnded', message))
  }

  /** Counts what is kept until the test has ended. */
  keep(characters: number): void {
    this.#kept += characters
    if (this.#kept > MOST_CHARACTERS)
      this.fail(`The test keeps more than ${MOST_CHARACTERS} characters: give it less to do.`)
  }

  /** What automations emitted, and the platform told about them. */
  get emitted(): EventRecord[] {
    return this.events.list.filter(({ source }) => source.automationSlug !== undefined)
  }

  /** Something that happens at an instant, which the test does not end before. */
  at(instant: Date, work: () => void): void {
    this.#later += 1
    this.time.after(instant.getTime() - this.time.now().getTime(), () => {
      this.#later -= 1
      work()
    })
  }

  enqueue(order: StagedOrder): void {
    this.#queue.push(order)
  }

  /** Lets everything happen, until nothing more can. */
  async play(): Promise<void> {
    for (;;) {
      await this.#settled()
      const next = this.#queue.shift()
      if (next !== undefined) this.#begin(next)
      else if (this.#isOver() || !this.time.next()) break
    }
    for (const run of this.runs)
      if (run.outcome === undefined) {
        this.problems.push(`The automation "${run.automationSlug}" did not come to its end.`)
        run.end?.(new Failure('RunEnded', 'The test has ended.'))
      }
  }

  #isOver(): boolean {
    return this.#later === 0 && this.runs.every(({ outcome }) => outcome !== undefined)
  }

  /** Until nothing of the test can go on without time or an event. */
  async #settled(): Promise<void> {
    do await nextTurn()
    while (this.#busy > 0)
  }

  async #during<T>(work: Promise<T>): Promise<T> {
    this.#busy += 1
    try {
      return await work
    } finally {
      this.#busy -= 1
    }
  }

  async #nextSlice(share: Share): Promise<void> {
    await this.#during(this.#slices.next(share))
    this.#requireTime()
  }

  #requireTime(): void {
    if (this.#slices.workedMs() > MOST_MS) this.#endAll(`The test worked for more than ${MOST_MS / 1000} s.`)
  }

  #endAll(message: string): void {
    if (!this.problems.includes(message)) this.problems.push(message)
    for (const run of this.runs) if (run.outcome === undefined) run.end?.(new Failure('RunEnded', message))
  }

  /** Looking for automations and places may take real time. */
  #watched(workspace: CompiledWorkspace): CompiledWorkspace {
    return {
      ...workspace,
      find: (slug) => {
        const found = workspace.find(slug)
        return found instanceof Promise ? this.#during(found) : found
      },
      placeOf: (slug, instruction) => this.#during(workspace.placeOf(slug, instruction)),
    }
  }

  #begin({ id = this.idOf('run', this.runs.length), depth = 0, ...order }: StagedOrder): void {
    const seen = new SeenSteps(SEEN, () => this.time.now().getTime())
    const run: StagedRun = {
      id,
      automationSlug: order.automation.slug,
      seen,
      end: undefined,
      mask: (value) => value,
      outcome: undefined,
      contexts: undefined,
    }
    this.runs.push(run)
    this.events.enter(id)
    seen.hidden.addArguments(order.automation, order.payload)
    const { run: active, outcome } = this.#engine.start({
      ...order,
      runId: id,
      depth,
      workspace: this.workspace,
      timeLimitMs: TIME_LIMIT_MS,
      repeatable: true,
      isAwaited: true,
      segments: [this.#firstSegment()],
      observer: this.#observerOf(seen),
      commit: (effects) => this.#commit(run, effects),
    })
    const end: StagedRun['end'] = (reason) => active.end(reason)
    const mask: StagedRun['mask'] = (value) => seen.hidden.mask(active.secrets.mask(value))
    run.end = end
    run.mask = mask
    run.contexts = active.contexts
    outcome
      .then((ended) => this.#during(this.#end(run, ended)))
      .catch((error: unknown) => this.problems.push(sentenceOf(error)))
  }

  async #end(run: StagedRun, ended: RunOutcome): Promise<void> {
    await this.#commit(run, ended.effects)
    run.outcome = ended
    this.events.leave(run.id)
  }

  /** Chance comes from the seed of the test. */
  #firstSegment() {
    const entries = JSON.stringify([['seed', this.idOf('seed', this.runs.length)]])
    return { try: 0, segment: 0, upto: 0, reads: 0, place: 0, entries }
  }

  #observerOf(seen: SeenSteps): StepObserver {
    const watching = { seen, lookUp: () => undefined, finish: () => undefined }
    const listener: StepListener = {
      begins: (slug, path) => {
        this.#parts.counts.add(slug, path)
        this.#steps += 1
        if (this.#steps % STRIDE === 0) this.#requireTime()
        if (this.#steps > MOST_STEPS) this.fail(`The test took more than ${MOST_STEPS} instructions.`)
      },
      calls: ({ slug }, payload) => this.#calls(slug, payload),
    }
    return listenToSteps(listener, this.#parts.hasSteps ? watchSteps(watching) : new Unseen(watching))
  }

  #calls(automation: string, payload: Readonly<Record<string, unknown>>): void {
    const text = JSON.stringify(payload)
    this.keep(text.length)
    this.calls.push({ automation, arguments: JSON.parse(text) })
  }

  async #commit(run: StagedRun, { events, queued, patches, waits = [] }: Effects): Promise<void> {
    this.contexts.apply(patches)
    for (const wait of waits) this.events.open(run.id, wait)
    for (const event of events) this.publish(event)
    if (this.#parts.test.follow !== true) return
    for (const { workspaceId, id, automationSlug, trigger, correlationId, input } of queued)
      if (workspaceId === this.workspace.id)
        await this.#follow({ id, automationSlug, trigger, correlationId, ...input })
  }

  async #follow({
    automationSlug,
    caller: subject,
    ...order
  }: {
    readonly automationSlug: string
    readonly caller: RunSubject
    readonly trigger: Trigger
    readonly correlationId: string
    readonly payload: Readonly<Record<string, unknown>>
    readonly depth: number
    readonly id: string
  }): Promise<void> {
    const automation = await this.workspace.find(automationSlug)
    if (automation === undefined || automation.disabled) return
    this.enqueue({ ...order, automation, subject })
  }

  /** An event happens: it ends waits, and starts automations where the test wants that. */
  publish(event: EventRecord): void {
    this.keep(event.size)
    const isTaken = this.events.publish(event)
    if (this.#parts.test.follow === true && !isTaken && mayTrigger(event.type))
      void this.#during(this.startListeners(event))
  }

  /** Queues a run of each automation that listens to an event. */
  async startListeners(event: EventRecord): Promise<void> {
    for (const slug of this.workspace.listeners(event.type)) {
      const automation = await this.workspace.find(slug)
      if (automation !== undefined) this.enqueue(orderOf(event, automation))
    }
  }

  /** What the test says happens later. */
  #plan({ later = [], follow }: AutomationTest): void {
    for (const [index, item] of later.entries()) {
      const afterMs = durationMs(item.after ?? 0) ?? 0
      const instant = new Date(
        item.at === undefined ? this.time.now().getTime() + afterMs : Date.parse(item.at),
      )
      if ('schedule' in item)
        this.at(instant, () => void this.#during(this.#startScheduled(item.schedule, index)))
      else if (follow === true) this.at(instant, () => this.publish(this.eventOf(item, 'later', index)))
      else
        this.time.after(instant.getTime() - this.time.now().getTime(), () =>
          this.publish(this.eventOf(item, 'later', index)),
        )
    }
  }

  async #startScheduled(slug: string, index: number): Promise<void> {
    const automation = await this.workspace.find(slug)
    if (automation === undefined) {
      this.problems.push(`There is no automation "${slug}" that \`later\` could start.`)
      return
    }
    const trigger: Trigger = { type: 'schedule', value: slug, id: this.time.now().toISOString() }
    const correlationId = this.idOf('schedule', index).replaceAll('-', '')
    this.enqueue({ automation, payload: {}, trigger, subject: {}, correlationId })
  }

  /** An event as somebody would have emitted it. */
  eventOf(
    { event: type, payload = {}, source = {} }: GivenEvent,
    ...place: (string | number)[]
  ): EventRecord {
    const { userId, sessionId, ip, socketId } = this.#parts.subject
    const by = Object.entries({ userId, sessionId, ip, socketId }).filter(([, one]) => one !== undefined)
    const { correlationId, workspace } = this
    const of = { workspaceId: workspace.id, correlationId, serviceTopic: EMIT_TOPIC }
    return buildRecord({
      type,
      payload,
      source: { ...of, ...Object.fromEntries(by), ...source },
      id: this.idOf('event', ...place),
      createdAt: this.time.now().toISOString(),
    })
  }
}

/** A UUIDv7 of an instant, from which those of a test are derived. */
function idOfTest(now: Date): string {
  const hex = Math.max(0, now.getTime()).toString(16).padStart(12, '0').slice(-12)
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`
}

const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
