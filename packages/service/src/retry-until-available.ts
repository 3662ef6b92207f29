import { StoreError } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { pause } from './pause.ts'
import type { StoreNotices } from './store-notices.ts'

const PAUSE_MS = 1000

/** The process was asked to stop before the service was ready; no failure. */
export class StartInterrupted extends Error {
  override readonly name = 'StartInterrupted'
}

/** What a service waits for before it can be built; no obstacle while it is being built. */
export interface Waiting {
  obstacle: StoreError | undefined
}

/** True for a store that can't answer now, and may answer later. */
export const isUnavailable = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.unavailable

export interface RetryOptions {
  log: Logger
  signal: AbortSignal
  /** Shows an operator what is waited for. */
  notices: StoreNotices
  /** Holds the obstacle for as long as it lasts. */
  waiting?: Waiting | undefined
}

/** A store that is down when the service starts is waited for: the process stays and starts to work when it comes. */
export async function retryUntilAvailable<T>(
  attempt: () => Promise<T>,
  { log, signal, notices, waiting = { obstacle: undefined } }: RetryOptions,
): Promise<T> {
  for (;;) {
    if (signal.aborted) throw new StartInterrupted()
    try {
      const result = await attempt()
      waiting.obstacle = undefined
      return result
    } catch (error) {
      if (!isUnavailable(error)) throw error
      waiting.obstacle = error
      notices.report(error)
      log.debug({ err: error }, 'a store does not answer, the service waits for it')
      await pause(PAUSE_MS, signal)
    }
  }
}
