import { Failure } from '@platform/kernel'
import type { ActiveRun } from '../automations/active-run.ts'
import { RunEnded } from '../automations/automation-failure.ts'
import type { Engine, EngineParts, RunOrder, RunOutcome, StartedRun } from '../automations/engine.ts'
import type { Segment } from '../automations/journal-entries.ts'
import type { StepObserver } from '../automations/model.ts'
import type { RunJournal } from '../automations/run-journal.ts'
import { meteredSlices } from './metered-slices.ts'

/** A run whose journal is read: nothing of what it does happens. */
export type ReadOrder = Pick<
  RunOrder,
  | 'runId'
  | 'workspace'
  | 'automation'
  | 'payload'
  | 'trigger'
  | 'subject'
  | 'correlationId'
  | 'depth'
  | 'try'
  | 'cancellation'
> & {
  readonly segments: readonly Segment[]
  /** A request waited for it, and nothing of it was stored before its end. */
  readonly isAlone?: boolean
}

export interface ReadOptions {
  /** The last effect that is begun; without it, the last that the journal has. */
  readonly until?: number | undefined
  /** True where the journal is wanted as far as it is read: `journal.copied` is that of a run that goes on there. */
  readonly isCopied?: boolean
  /** True where other automations than then are tried with what came in. */
  readonly ignoresPlaces?: boolean
  /** Milliseconds of work. */
  readonly maxMs: number
  /** Sees the steps; made before the run begins. */
  readonly observe: (reading: Reading) => StepObserver
  /** Called once, when the run is stopped on its way: what it does from then on counts for nothing. */
  readonly onStop?: () => void
}

/** A reading that is under way. */
export interface Reading {
  /** Throws once it has worked for too long. */
  readonly lookUp: () => void
  /** Ends it: whoever wanted it knows enough. Throws. */
  readonly finish: () => never
  /** When the last came in of what has come in so far, in Unix milliseconds; 0 where that is not known. */
  readonly atMs: () => number
}

/**
 * Why a reading stopped before the end of the run: the journal, or the effect that was asked for, was its end; it took
 * too long; who wanted it knew enough; or the automation is not what it was.
 */
export type StopReason = 'journal' | 'time' | 'finished' | 'changed'

export interface WasRead {
  readonly run: ActiveRun
  readonly journal: RunJournal
  /** Undefined where the reading stopped on its way. */
  readonly outcome: RunOutcome | undefined
  /** Undefined where it came to the end of the run. */
  readonly stopped: { readonly reason: StopReason; readonly number: number } | undefined
}

export interface ReadParts {
  readonly slices: EngineParts['slices']
  readonly readingEngine: (slices: EngineParts['slices']) => Engine
}

/** Longest a reading may take with all that others do meanwhile. */
const MAX_ELAPSED_MS = 20_000

const left = () => new Failure('RunEnded', 'The reading of the run has ended.')

/**
 * Executes the journal of a run again, without effects: each instruction computes what it did, and gets what came in
 * then. It ends where the run did, or where the journal or the last effect that is wanted ends.
 */
export function readRun(parts: ReadParts, order: ReadOrder, options: ReadOptions): Promise<WasRead> {
  const slices = meteredSlices(parts.slices)
  const { promise, resolve } = Promise.withResolvers<WasRead>()
  let stopped: WasRead['stopped']
  let started: StartedRun | undefined
  const stop = (reason: StopReason): void => {
    if (stopped !== undefined) return
    stopped = { reason, number: started?.journal?.number ?? 0 }
    options.onStop?.()
    started?.run.end(left())
  }
  const end = (reason: StopReason): never => {
    stop(reason)
    throw new RunEnded(left())
  }
  const settle = (outcome: RunOutcome | undefined): void => {
    clearTimeout(timer)
    const { run, journal } = started as StartedRun & { journal: RunJournal }
    if (journal.hasStrayed) stop('changed')
    const number = stopped?.number || journal.number
    resolve({
      run,
      journal,
      outcome: stopped === undefined ? outcome : undefined,
      stopped: stopped && { ...stopped, number },
    })
  }
  const stall = (reason: StopReason) => () => {
    stop(reason)
    settle(undefined)
  }
  const timer = setTimeout(stall('time'), MAX_ELAPSED_MS)
  const reading: Reading = {
    lookUp: () => (slices.workedMs() > options.maxMs ? end('time') : undefined),
    finish: () => end('finished'),
    atMs: () => started?.journal?.atMs ?? 0,
  }
  started = parts.readingEngine(slices).start({
    ...order,
    timeLimitMs: MAX_ELAPSED_MS * 2,
    repeatable: order.isAlone !== true,
    commit: async () => undefined,
    reading: {
      until: options.until,
      isCopied: options.isCopied === true,
      ignoresPlaces: options.ignoresPlaces === true,
      end: () => end('journal'),
      idle: stall('journal'),
    },
    observer: options.observe(reading),
  })
  // It may have come to its end before there was a promise.
  if (stopped !== undefined) started.run.end(left())
  void started.outcome.then(settle)
  return promise
}
