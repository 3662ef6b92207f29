import type { Retry } from '@platform/contracts'
import { AutomationFailure, Break } from '../automations/automation-failure.ts'
import type { Execute, Frame } from '../automations/model.ts'
import { type Fault, pauseBeforeNextTry } from '../automations/next-try.ts'

/** What a step that is tried again does each time. */
export type Attempt = (frame: Frame, tries: Tries) => Promise<void>

/** What the attempts of one step know of each other. */
export interface Tries {
  /** Told of a fault, it answers whether the step is done again. `asksForMs` is the pause that the other side wants. */
  isRepeated(fault: Fault, asksForMs?: number): boolean
  /** Of what is asked outside: the same each time, so that the other side can tell. */
  key: string | undefined
}

/** For a step that is tried once. */
export const triedOnce = (): Tries => ({ isRepeated: () => false, key: undefined })

/** A step that is done again where it fails, within the same try of its run: what it did before stays done. */
export function retrying(attempt: Attempt, retry: Retry, path: string): Execute {
  return async (frame) => {
    let count = 0
    let pauseMs: number | undefined
    const tries: Tries = {
      key: undefined,
      isRepeated(fault, asksForMs = 0) {
        const ownMs = pauseBeforeNextTry(retry, fault, count, frame.run.options.random)
        pauseMs = ownMs === undefined ? undefined : Math.max(ownMs, asksForMs)
        return pauseMs !== undefined
      },
    }
    for (;;) {
      pauseMs = undefined
      await attempt(frame, tries)
      if (pauseMs === undefined) return
      await frame.run.pause(frame, path, pauseMs)
      count += 1
    }
  }
}

/** An instruction that has failed when it throws. What ends the run, and a `break`, is never tried again. */
export const attemptOf =
  (execute: Execute): Attempt =>
  async (frame, tries) => {
    try {
      await execute(frame)
    } catch (error) {
      if (error instanceof Break) throw error
      const failed = failureOf(error, frame)
      if (failed.fatal || !tries.isRepeated(failed.failure)) throw error
    }
  }

const failureOf = (error: unknown, { automation }: Frame): AutomationFailure =>
  error instanceof AutomationFailure ? error : new AutomationFailure(error, automation.slug, '')
