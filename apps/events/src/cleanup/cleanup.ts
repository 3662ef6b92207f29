import type { EventContract, eventsCleaned, PayloadInputOf } from '@platform/contracts'
import type { z } from 'zod'

export type CleanupName = 'indices' | 'executions'

type Summary = typeof eventsCleaned extends EventContract ? PayloadInputOf<typeof eventsCleaned> : never

/** How far a run came, and what it has done so far. */
export interface Progress<Report> {
  /** Where it goes on; undefined when it is done. */
  cursor: string | undefined
  report: Report
}

/** A cleanup in steps, each of which may be done again: a run that was killed goes on from its last stored cursor. */
export interface Cleanup<Report> {
  readonly name: CleanupName
  /** Reads a stored report; one that another version of the program has stored may be unreadable. */
  readonly schema: z.ZodType<Report>
  /** Before anything is done. */
  readonly start: { cursor: string; report: Report }
  step(cursor: string, report: Report, budget: Budget): Promise<Progress<Report>>
  /** What a run would do, without doing it. `done` is false when there was more than one call may count. */
  preview(): Promise<{ report: Report; done: boolean }>
  /** The report as the payload of the event. */
  summary(report: Report): Summary
}

/** How much one call may do; what is left is done by the next. */
export interface Budget {
  /** Documents the next step may take: 0 when the call is to end. */
  readonly next: number
  took(documents: number): void
}

const BATCH = 1000
const DOCUMENTS = 50_000
const LONGEST_MS = 15_000

/** Documents and time of one call, so that no request and no lock lasts long. */
export function callBudget(documents: number = DOCUMENTS): Budget {
  const endAt = performance.now() + LONGEST_MS
  let left = documents
  return {
    get next() {
      return performance.now() >= endAt ? 0 : Math.max(0, Math.min(BATCH, left))
    },
    took(count) {
      left -= count
    },
  }
}
