import type { EventContract, eventsCleaned, PayloadInputOf } from '@platform/contracts'
import type { z } from 'zod'
import type { Budget } from './budget.ts'

export type CleanupName = 'indices' | 'executions'

type Told = typeof eventsCleaned extends EventContract ? PayloadInputOf<typeof eventsCleaned> : never

/** How far a run came, and what it has done so far. */
export interface Progress<Report> {
  /** Where it goes on; undefined when it is done. */
  place: string | undefined
  report: Report
}

/** A cleanup in steps, each of which may be done again: a run that was killed goes on from the last place it kept. */
export interface Cleanup<Report> {
  readonly name: CleanupName
  /** Reads a kept report; one that another version of the program kept may not be read. */
  readonly schema: z.ZodType<Report>
  /** Before anything is done. */
  readonly start: { place: string; report: Report }
  step(place: string, report: Report, budget: Budget): Promise<Progress<Report>>
  /** What a run would do, without doing it. `done` is false when there was more than one call may count. */
  preview(): Promise<{ report: Report; done: boolean }>
  /** The report as the event tells it. */
  told(report: Report): Told
}
