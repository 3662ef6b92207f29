import type { FailureBody } from '@platform/kernel'
import type { Effects } from '../automations/event-buffer.ts'
import type { RunInput, Trigger } from '../automations/model.ts'

/** How a run ended. */
export interface RunEnd {
  readonly status: 'succeeded' | 'failed' | 'cancelled'
  readonly durationMs: number
  readonly error: FailureBody | { error: string; message: string } | undefined
  readonly isDeadLetter?: boolean
}

/** A run that was done in its request, with everything it did. */
export interface FinishedRun extends RunEnd {
  readonly id: string
  readonly workspaceId: string
  readonly automationSlug: string
  readonly trigger: Trigger
  readonly correlationId: string
  readonly startedAt: Date
  readonly effects: Effects
}

/** A worker's hold on a run: whatever it writes counts only while no other attempt was begun. */
export interface Claim {
  readonly id: string
  readonly attempt: number
}

/** A run that a worker has claimed. */
export interface ClaimedRun extends Claim {
  readonly workspaceId: string
  readonly automationSlug: string
  readonly triggerType: Trigger['type']
  readonly triggerValue: string
  readonly triggerId: string | null
  readonly correlationId: string
  readonly input: RunInput
}

/** What a claimed run did, and its end once it has one. */
export interface ClaimedWork {
  readonly claim: Claim
  readonly effects: Effects
  readonly end: RunEnd | undefined
}

/** A run whose workers died this often is given up. */
export const MAX_ATTEMPTS = 5
