import type { RunChange, RunState, RunStep, RunStop } from '@platform/contracts'
import { Failure, FairPlaces } from '@platform/kernel'
import { FollowedSteps, followSteps } from './follow-steps.ts'
import { type Reading, type ReadOptions, type ReadParts, readRun, type WasRead } from './read-run.ts'
import { type RunSource, type Sources, type StoredRun, sourceOf } from './run-source.ts'
import { type SeenLimits, SeenSteps } from './seen-steps.ts'
import { shownBriefly, shownChanges, shownSteps, unendedOf } from './shown-steps.ts'
import { StandingPoint, StateWatch } from './state-watch.ts'
import { watchSteps } from './step-watch.ts'

/** What is shown of a run at once, and what looking at it may cost. */
const LIMITS: SeenLimits = { steps: 1000, list: 100, value: 10_000, all: 1_000_000 }
const MAX_MS = 500

/** What is wanted of a run. */
export interface Look {
  /** The place of a step: it and those that follow it beside it. */
  readonly path?: string | undefined
  /** As it stood after this effect. */
  readonly at?: number | undefined
  readonly signal: AbortSignal
}

/** What a run did, as others may see it. */
export interface Inspection {
  readonly input: unknown
  readonly output?: unknown
  readonly contexts: RunChange[]
  readonly steps: RunStep[]
  readonly more?: number
  readonly morePath?: string
  readonly stoppedAt?: RunStop
}

/** Steps that ended behind those that were sent before. */
export interface FollowedRun {
  readonly steps: RunStep[]
  /** How many have ended by now. */
  readonly ended: number
}

export type Inspections = ReturnType<typeof inspections>

/** Looks at runs by executing their journals again; one of a workspace at a time. */
export function inspections(parts: ReadParts & Sources & { readonly maxMs?: number }) {
  const places = new FairPlaces({ each: 1, all: 4 })
  const { maxMs = MAX_MS } = parts
  const read = async (
    source: RunSource,
    seen: SeenSteps,
    { signal, ...options }: Pick<ReadOptions, 'observe' | 'until'> & { signal: AbortSignal },
  ): Promise<WasRead> => {
    const giveBack = await places.take(source.order.workspace.id, signal)
    const onStop = () => {
      seen.isFrozen = true
    }
    seen.hidden.addArguments(source.order.automation, source.order.payload)
    return await readRun(parts, source.order, { ...options, maxMs, onStop }).finally(giveBack)
  }
  return {
    /** Undefined where its automation, or what it was called with, is not there. */
    async look(workspaceId: string, record: StoredRun, look: Look): Promise<Inspection | undefined> {
      const source = await sourceOf(parts, workspaceId, record)
      if (source === undefined) return undefined
      const clock = clockOf(record)
      const limits = look.path === undefined ? LIMITS : { ...LIMITS, list: LIMITS.steps }
      const seen = new SeenSteps(limits, clock.nowMs)
      const input = seen.argumentsOf(source.order.automation, source.order.payload)
      const was = await read(source, seen, {
        signal: look.signal,
        until: look.at,
        observe: (reading) => watchSteps({ seen, ...clock.follow(reading) }, look.path),
      })
      return shown(record, look, { seen, was, input })
    },

    /** Undefined as with `look`. */
    async stateAt(workspaceId: string, record: StoredRun, look: Look): Promise<RunState | undefined> {
      const source = await sourceOf(parts, workspaceId, record)
      if (source === undefined) return undefined
      const clock = clockOf(record)
      const seen = new SeenSteps(LIMITS, clock.nowMs)
      const point = new StandingPoint()
      const was = await read(source, seen, {
        signal: look.signal,
        until: look.at,
        observe: (reading) => new StateWatch({ seen, ...clock.follow(reading) }, point),
      })
      return stateOf(record, look, { seen, was, point })
    },

    /** What ended behind the first `skip` steps; of a run that can't be read, nothing. */
    async follow(
      workspaceId: string,
      record: StoredRun,
      { skip, most, signal, upTo }: { skip: number; most: number; signal: AbortSignal; upTo?: number },
    ): Promise<FollowedRun> {
      const source = await sourceOf(parts, workspaceId, record, upTo)
      if (source === undefined) return { steps: [], ended: skip }
      const clock = clockOf(record)
      const seen = new SeenSteps(LIMITS, clock.nowMs)
      const followed = new FollowedSteps(skip, most)
      const was = await read(source, seen, {
        signal,
        observe: (reading) => followSteps({ seen, ...clock.follow(reading) }, followed, clock.nowMs),
      })
      const showing = { mask: maskOf(seen, was), unended: unendedOf(record.status, undefined) }
      return { steps: followed.steps.map((step) => shownBriefly(step, showing)), ended: followed.ended }
    },
  }
}

/** The time as far as a run knew it: from its start on, when the last came in of what came in. */
function clockOf({ startedAt }: StoredRun) {
  const startedMs = startedAt?.getTime() ?? 0
  let current: Reading | undefined
  return {
    nowMs: () => Math.max(startedMs, current?.atMs() ?? 0),
    follow(reading: Reading) {
      current = reading
      return reading
    },
  }
}

const maskOf =
  (seen: SeenSteps, { run }: WasRead) =>
  (value: unknown): unknown =>
    seen.hidden.mask(run.secrets.mask(value))

function shown(
  record: StoredRun,
  look: Look,
  { seen, was, input }: { seen: SeenSteps; was: WasRead; input: unknown },
): Inspection {
  const mask = maskOf(seen, was)
  const stoppedAt = stopOf(record, look, seen, was)
  const unended = standsAt(look, was) ? 'running' : unendedOf(record.status, stoppedAt)
  const showing = { mask, unended }
  const { top } = seen
  if (look.path !== undefined && top.steps.length === 0 && stoppedAt === undefined) throw noSuchPlace()
  const { outcome } = was
  const output = outcome?.failed === undefined ? mask(seen.keep(outcome?.output)) : undefined
  return {
    input: mask(input),
    ...(output === undefined ? {} : { output }),
    contexts: shownChanges(seen.contextChanges(was.run.contexts), showing),
    steps: shownSteps(top, showing),
    ...(top.more === 0 ? {} : { more: top.more }),
    ...(top.morePlace === undefined ? {} : { morePath: top.morePlace }),
    ...(stoppedAt === undefined ? {} : { stoppedAt }),
  }
}

const CONTEXTS = ['global', 'user', 'session', 'run', 'socket'] as const

function stateOf(
  record: StoredRun,
  look: Look,
  { seen, was, point }: { seen: SeenSteps; was: WasRead; point: StandingPoint },
): RunState {
  const mask = maskOf(seen, was)
  const { contexts } = was.run
  const standing = point.left ?? point.last
  const stoppedAt = stopOf(record, look, seen, was)
  const locals = [...(standing?.frame.variables.list() ?? [])].map(([name, value]) => [
    name,
    seen.keep(value),
  ])
  const shared = CONTEXTS.map((name) => [
    name,
    Object.fromEntries(contexts.keysOf(name).map((key) => [key, seen.keep(contexts.peek(name, key))])),
  ])
  return {
    number: was.stopped?.number ?? was.journal.number,
    path: was.stopped === undefined ? null : (standing?.path ?? null),
    automationSlug: was.stopped === undefined ? null : (standing?.frame.automation.slug ?? null),
    locals: mask(withoutRequest(Object.fromEntries(locals))) as Record<string, unknown>,
    contexts: mask(Object.fromEntries(shared)) as Record<string, unknown>,
    ...(stoppedAt === undefined ? {} : { stoppedAt }),
  }
}

/** What no event shows of a request either. */
const withoutRequest = ({ rawBody: _rawBody, $http: _http, ...rest }: Record<string, unknown>) => rest

function noSuchPlace(): Failure {
  const message = 'is no place of a step of this run: give a morePath of an answer'
  return new Failure('RequestValidationError', `query.path: ${message}.`, {
    details: [{ path: 'query.path', message }],
  })
}

/** It was looked at up to the effect that was asked for. */
const standsAt = ({ at }: Pick<Look, 'at'>, { stopped }: Pick<WasRead, 'stopped'>): boolean =>
  at !== undefined && stopped?.reason === 'journal' && stopped.number >= at

function stopOf(
  { status, finishedAt }: StoredRun,
  { at }: Look,
  { full }: SeenSteps,
  { stopped, journal }: WasRead,
): RunStop | undefined {
  if (full !== undefined) return full
  if (stopped === undefined || stopped.reason === 'finished') return undefined
  const { reason, number } = stopped
  if (reason !== 'journal') return { reason, number }
  if (standsAt({ at }, { stopped })) return undefined
  if (finishedAt === null) return { reason: 'running', number }
  // A run that was ended from outside stands where it was ended.
  return journal.isWhole && status !== 'succeeded' ? undefined : { reason: 'notKept', number }
}
