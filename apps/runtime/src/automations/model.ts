import type { Concurrency, EventRecord, FunctionLanguage, Retry } from '@platform/contracts'
import type { FunctionLog } from '@platform/custom-code'
import type { Options, ResolvedPath } from '@platform/expressions'
import type { FetchRate, FunctionCalls } from '@platform/function-calls'
import type { SecretTexts } from '@platform/logging'
import type { SlidingLimits, ThrottleLimits, Throttle as WorkThrottle } from '@platform/rate-limits'
import type { Contexts, StoredContext } from '../contexts/contexts.ts'
import type { Variables } from '../contexts/variables.ts'
import type { FetchRequest } from '../fetches/fetch-request.ts'
import type { FetchedStreams } from '../fetches/fetched-streams.ts'
import type { Exchanges, FetchAttempt, Fetches } from '../fetches/fetches.ts'
import type { JoinedTopic, QueuedRun, RunSubject, TopicOrder, Trigger } from './run-input.ts'
import type { Strand } from './strand.ts'
import type { Branches } from './turns.ts'
import type { WaitOrder } from './wait-inbox.ts'

export type { JoinedTopic, QueuedRun, RunInput, RunSubject, TopicOrder, Trigger } from './run-input.ts'

/** Runs what was compiled. Work that needs no waiting ends without a promise, which keeps short automations fast. */
export type Execute = (frame: Frame) => void | Promise<void>

/** An automation, compiled once; nothing in it is parsed again while it runs. */
export interface CompiledAutomation {
  readonly slug: string
  /** Of its text; a change that is saved has another. */
  readonly checksum?: string
  readonly disabled: boolean
  /** A call repeated with the same `Idempotency-Key` gets the first answer. */
  readonly idempotent: boolean
  /** Runs that a request waits for go on when their process or their request ends. */
  readonly durable: boolean
  /** How often and when a triggered run that failed is begun again. */
  readonly retry?: Retry | undefined
  readonly concurrency?: CompiledConcurrency | undefined
  readonly debounce?: CompiledDebounce | undefined
  /** The right a caller needs beyond knowing the address. */
  readonly action: string | undefined
  /** Hidden from other workspaces. */
  readonly isPrivate: boolean
  /** `rawBody` costs a base64 of the whole body, so it is made only for automations that name it. */
  readonly readsRawBody: boolean
  /** Headers of a request are kept with their credentials only where they are named. */
  readonly readsHeaders: boolean
  /** True when it may shape the answer of its request through `$http`. */
  readonly shapesAnswer: boolean
  readonly readsRole: boolean
  readonly readsEmail: boolean
  readonly readsSecrets: boolean
  readonly storedContexts: readonly StoredContext[]
  /** Where its instructions stand, outer before inner: `do[2].repeat.do[0].set`. */
  readonly stepPaths: readonly string[]
  /** True when one of its steps is a `wait`. */
  readonly waits: boolean
  readonly steps: Execute
  readonly output: ((frame: Frame) => unknown) | undefined
  readonly inputs: Inputs
  /** What could not be compiled; such a step fails when it is run. */
  readonly problems: readonly string[]
}

/** What runs have in common that are held for one another. Throws where it can't be computed. */
export type KeyOf = (payload: Readonly<Record<string, unknown>>) => string

/** Which of several events that come one after another starts a run. */
export interface CompiledDebounce {
  readonly periodMs: number
  readonly maxMs: number | undefined
  readonly keyOf: KeyOf
}

/** How many triggered runs of an automation are at work at once. */
export interface CompiledConcurrency {
  readonly limit: number
  readonly strategy: NonNullable<Concurrency['strategy']>
  /** Runs with one key count against one limit. */
  readonly keyOf: KeyOf
}

/** The checks an automation makes of its arguments. */
export interface Inputs {
  /** Throws InvalidArgumentsError naming every problem. */
  validate(payload: Readonly<Record<string, unknown>>): void
  /** Values of arguments marked `secret: true`. */
  secretsIn(payload: Readonly<Record<string, unknown>>): string[]
  /** Scalars, as texts, of arguments marked `redact: true`; undefined where there are too many. */
  redactedTexts(payload: Readonly<Record<string, unknown>>): string[] | undefined
  /** The payload without the paths marked `redact: true`. */
  redacted(payload: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
}

/** A function in code, as it is called. */
export interface CompiledFunction {
  readonly name: string
  readonly language: FunctionLanguage
  readonly code: string
  readonly dependencies: readonly string[]
  readonly parameterNames: readonly string[]
  /** Undefined: as long as any may take. */
  readonly timeoutMs: number | undefined
  readonly inputs: Inputs
}

/** A workspace as it is run. */
export interface CompiledWorkspace {
  readonly id: string
  readonly slug: string
  readonly name: string
  readonly revision: number
  /** Why an operator has suspended it: nothing of it is executed then. */
  readonly suspendedFor?: string | undefined
  readonly config: Readonly<Record<string, unknown>>
  /** Slug → path of the URL trigger. */
  readonly endpoints: ReadonlyMap<string, string>
  /** At once where it is compiled already. */
  find(slug: string): CompiledAutomation | undefined | Promise<CompiledAutomation | undefined>
  /** A function that it declares. */
  findFunction(name: string): Promise<CompiledFunction | undefined>
  matchUrl(path: string): UrlMatch | undefined
  /** Where an instruction of an automation stands in the YAML it was saved as, if it was. */
  placeOf(slug: string, instruction: string): Promise<SourcePlace | undefined>
  /** Slugs of the automations that listen to an event type. */
  listeners(type: string): readonly string[]
  /** Which of its queued runs go first: the greater number; 0 where an automation says nothing. */
  priorityOf(slug: string): number
}

/** Line and column, both from 1. */
export interface SourcePlace {
  readonly line: number
  readonly column: number
}

export interface UrlMatch {
  readonly slug: string
  readonly pathParams: Readonly<Record<string, string>>
}

/** One run of one automation, and the frame its instructions work in. */
export interface Frame {
  readonly run: RunState
  readonly automation: CompiledAutomation
  readonly variables: Variables
  readonly depth: number
  /** True for the steps of a `finally`: they go on for a while when the run is cancelled. */
  readonly inFinally: boolean
  /** What `$http` stands for, where the automation may shape the answer of a request. */
  readonly http?: HttpAnswer | undefined
  /** What it has waited for. */
  readonly strand: Strand
  /** Names this place of the run, so that effects done again get the ids they had. */
  readonly trace: string
  readonly measures: { throttledMs: number }
  /** Where somebody looks at the run: sees the step that the frame works in. */
  readonly observed?: StepObserver | undefined
}

/** Sees what one step does. What it is told never changes what the run does; runs that nobody looks at have none. */
export interface StepObserver {
  /** A step begins inside this one; answers what sees it. */
  begin(path: string, frame: Frame): StepObserver
  /** Steps that begin in what this answers are of one round, or of one branch. */
  inRound(round: number): StepObserver
  inBranch(branch: number): StepObserver
  /** The step has ended, with what it threw if it did. */
  end(thrown: unknown): void
  /** What the step works with. */
  input(value: unknown): void
  /** What the step asks the outside for. */
  asks(request: FetchRequest): void
  /** What a function of a module is called with. */
  runs(name: string, parameters: unknown): void
  /** What an automation is called with. */
  called(automation: CompiledAutomation, payload: Readonly<Record<string, unknown>>): void
  output(value: unknown): void
  /** The step has begun the effect of this number, and waits for the outside where it asks that. */
  effect(number: number, asks?: boolean): void
  attempts(attempts: readonly FetchAttempt[]): void
  /** What a function in code has written. */
  logged(logs: readonly FunctionLog[]): void
  emitted(event: { readonly id: string; readonly type: string }): void
  started(run: Pick<QueuedRun, 'id'>): void
  /** The step changes a variable, by `change`. */
  change(frame: Frame, path: ResolvedPath, change: () => void): void
}

/** The answer to the request that a run began with, as its automations shape it. */
export interface HttpAnswer {
  /** Calls when it is under way: the run may then take as long as any that nobody waits for. */
  whenStreaming(begun: () => void): void
  /** The value of `$http`. An automation that is called with it shapes the answer as well. */
  readonly handle: object
  /**
   * Writes what the path of a `set` names behind `$http`. Answers a promise where a chunk is sent: `settle` is called
   * before it leaves, and the reader has room again when it resolves. Throws InvalidInstructionError.
   */
  assign(
    path: readonly (string | number)[],
    value: unknown,
    settle: () => Promise<void> | undefined,
  ): Promise<void> | undefined
}

/** What answers in the place of the outside. */
export interface Stubs {
  /** Calls a function of a module. */
  callModule(module: string, name: string, parameters: unknown, place: StubPlace): unknown
  /** Puts secrets into a request that leaves, and their references into what comes back. */
  reveal(request: FetchRequest): {
    readonly sent: FetchRequest
    readonly conceal: (value: unknown) => unknown
  }
  /** The values behind references, by what is sealed in them. */
  secretsBehind(references: ReadonlyMap<string, string>): ReadonlyMap<string, string>
  /** Makes users members of a topic, which ends with what the stubs are for. */
  joinTopic(order: TopicOrder): JoinedTopic
}

/** Where a stub is asked. */
export interface StubPlace {
  readonly frame: Frame
  readonly path: string
}

/** What calls of one run share: one trigger, one deadline, one set of contexts, one buffer of events. */
export interface RunState {
  readonly runId: string
  readonly workspace: CompiledWorkspace
  readonly trigger: Trigger
  readonly subject: RunSubject
  readonly correlationId: string
  readonly maxDepth: number
  readonly contexts: Contexts
  readonly options: Options
  /** Texts that no event may show. */
  readonly secrets: SecretTexts
  now(): Date
  /** The time as the automation sees it: the same when the run is done again. */
  readClock(): Date
  /** Bytes that nobody can guess: the same when the run is done again. */
  randomBytes(size: number): Buffer
  /**
   * Call it in every loop: lets other requests in, and throws once the run is over its time, was cancelled or was taken
   * away.
   */
  tick(frame: Frame): Promise<void> | undefined
  /** Takes from a limit of the workspace; a promise when the run has to wait, which `frame` then counts. */
  throttle(limit: ThrottledWork, amount: number, frame: Frame): Promise<void> | undefined
  /** Number of the effect that was begun last; 0 in runs whose effects are not counted. */
  readonly lastNumber: number
  /** The id of an effect: the same for the same effect of a run that is done again. */
  effectId(frame: Pick<Frame, 'trace'>, path: string): string
  /** How often the run came to a place, beginning with 1; 0 in runs that are never done again. */
  effectCount(frame: Pick<Frame, 'trace'>, path: string): number
  /** The id of an event of ours about the run: derived as well only where the run may be done again. */
  reportId(frame: Pick<Frame, 'trace'>, type: string): string
  /**
   * Hands an event on; it is committed with the run, or about 20 ms later when the run lasts longer. Not again where
   * that was done before the run was taken over.
   */
  record(event: EventRecord): Promise<void> | undefined
  /** Starts another run, which this one does not wait for; not again, as with events. */
  enqueue(run: QueuedRun): Promise<void> | undefined
  /** Commits what was done so far, where the run may be done again: what leaves now must not know of what is lost. */
  settle(): Promise<void> | undefined
  prepareContexts(automation: CompiledAutomation): Promise<void> | undefined
  /** True once a step was not done because the workspace is suspended: nothing of the run is, from then on. */
  readonly isSuspended: boolean
  /** Told of what a step fails with, before anything is done about it. */
  heed(failure: unknown): void
  /** Counts what `rateLimit` limits. */
  readonly limits: SlidingLimits
  /** Set where nothing outside may be asked. */
  readonly stubs?: Stubs | undefined
  /** How calls to the outside are sent. */
  readonly fetches: Fetches
  /** Where functions in code run; undefined where none do. */
  readonly functions: FunctionPlace | undefined
  /** Automations of other workspaces; missing where none may be called. */
  readonly elsewhere?: Elsewhere | undefined
  /** What it has fetched that comes piece by piece. */
  readonly streams: FetchedStreams
  /**
   * Asks something outside, while other strands of the run go on. Where the run may be done again, what it did and what
   * came in before is committed first: the outside must not know of what may still be lost. The answer, which must be
   * JSON, is kept and never asked for again once it is committed. A question that `onlyReads` tells nobody of what the
   * run did: nothing is committed before it.
   */
  fromOutside<T>(
    frame: OutsidePlace,
    path: string,
    work: (effect: OutsideEffect) => Promise<T>,
    options?: { readonly onlyReads?: boolean },
  ): Promise<T>
  /**
   * Waits for one of several events, or for a time; undefined when that is over first. A run that may be done again is
   * given up meanwhile, when all of it waits. Afterwards contexts are as they are stored then.
   */
  waitFor(frame: OutsidePlace, path: string, order: WaitOrder): Promise<EventRecord | undefined>
  /** Longest wait that an automation may ask for. */
  readonly maxWaitMs: number
  /** Waits, while other strands of the run go on. */
  pause(frame: OutsidePlace, path: string, ms: number): Promise<void>
  /** Strands that are begun by this one and end before it goes on. */
  branches<T>(): Branches<T>
}

/** A call of an automation of another workspace. */
export interface CallElsewhere {
  /** Its id, or `slug:<slug>`. */
  readonly workspace: string
  readonly automationSlug: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly caller: {
    readonly workspaceId: string
    readonly automationSlug: string
    readonly runId: string
    readonly correlationId: string
    readonly depth: number
    readonly subject: RunSubject
  }
}

/** An automation of another workspace that may be called. */
export interface CalledElsewhere {
  readonly workspaceId: string
  readonly automationSlug: string
  readonly priority: number
}

/** How automations of other workspaces are called. */
export interface Elsewhere {
  /** Throws ObjectNotFoundError for what is not there, and for what the run may not call. */
  find(call: CallElsewhere): Promise<CalledElsewhere>
  /** The run that a call begins, under this id, and what tells of it. */
  begin(
    call: CallElsewhere,
    called: CalledElsewhere,
    id: string,
  ): { readonly run: QueuedRun; readonly events: readonly EventRecord[] }
  /** Has it run and answers its output. Throws what it failed with. */
  call(call: CallElsewhere, called: CalledElsewhere, effect: OutsideEffect): Promise<unknown>
}

/** What asks the outside. */
export type OutsidePlace = Pick<Frame, 'automation' | 'trace' | 'inFinally' | 'observed' | 'strand'>

/** One question to the outside. */
export interface OutsideEffect {
  /** The same when the run is done again: the other side can tell by it. */
  readonly key: string
  /** True when the run may be done again, and ask the same a second time. */
  readonly mayRepeat: boolean
  /** Aborts when the run is over. */
  readonly signal: AbortSignal
  /** True once the run is over here only: another process asks the same again. */
  readonly goesOn: boolean
  /** How long the run may still take. */
  readonly remainingMs: () => number
  /**
   * To be asked before work on what came in that may take long, because much may come in together: undefined where the
   * run may go on at once, else resolves when it may.
   */
  readonly turn: () => Promise<void> | undefined
}

/** Where functions in code run, and what their calls of the outside wait for. */
export interface FunctionPlace {
  readonly calls: Pick<FunctionCalls, 'call'>
  /** Resolves when the workspace may make one more fetch. */
  readonly mayFetch: (workspaceId: string, signal: AbortSignal) => Promise<void>
  /** How often a workspace may fetch, where operators have set that for it. */
  readonly fetchRateOf: (workspaceId: string) => FetchRate
  readonly exchange: Exchanges['exchange']
}

export type ThrottledWork = 'automations' | 'emits' | 'fetches' | 'functions' | 'repeats'

/** Makes busy workspaces wait on this instance, each for itself, so that the others don't wait for them. */
export type Throttle = WorkThrottle<ThrottledWork>

/** The limits of each workspace, which operators may have set. */
export interface LimitsByWorkspace {
  /** What holds now, as far as it is known; undefined where nothing holds the workspace back. */
  limitsOf(workspaceId: string): ThrottleLimits<ThrottledWork> | undefined
  /** Resolves once something is known of the workspace; undefined where it is. Never rejects. */
  ready(workspaceId: string): Promise<void> | undefined
}
