import { StoreError } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { pause } from './pause.ts'
import type { Waiting } from './starting-report.ts'
import type { StoreNotices } from './store-notices.ts'

const PAUSE_MS = 1000

/** The process was told to stop before the service was ready; no failure. */
export class StartInterrupted extends Error {
  override readonly name = 'StartInterrupted'
}

/** A store that can't answer now, and may answer later. */
export const isAway = (error: unknown): error is StoreError =>
  error instanceof StoreError && error.unavailable

export interface Patience {
  log: Logger
  signal: AbortSignal
  /** Tells an operator what is waited for. */
  notices: StoreNotices
  /** Told why, for as long as it lasts. */
  waiting?: Waiting | undefined
}

/** A store that is down when the service starts is waited for: the process stays and starts to work when it comes. */
export async function patiently<T>(
  attempt: () => Promise<T>,
  { log, signal, notices, waiting = { obstacle: undefined } }: Patience,
): Promise<T> {
  for (;;) {
    if (signal.aborted) throw new StartInterrupted()
    try {
      const result = await attempt()
      waiting.obstacle = undefined
      return result
    } catch (error) {
      if (!isAway(error)) throw error
      waiting.obstacle = error
      notices.tell(error)
      log.debug({ err: error }, 'a store does not answer, the service waits for it')
      await pause(PAUSE_MS, signal)
    }
  }
}
