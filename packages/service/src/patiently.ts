import { StoreError } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { pause } from './pause.ts'
import type { Waiting } from './starting-report.ts'

const PAUSE_MS = 1000

/** The process was told to stop before the service was ready; no failure. */
export class StartInterrupted extends Error {
  override readonly name = 'StartInterrupted'
}

/** A store that is down when the service starts is waited for: the process stays and starts to work when it comes. `waiting` tells why. */
export async function patiently<T>(
  log: Logger,
  signal: AbortSignal,
  attempt: () => Promise<T>,
  waiting: Waiting = { obstacle: undefined },
): Promise<T> {
  for (;;) {
    if (signal.aborted) throw new StartInterrupted()
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof StoreError && error.unavailable)) throw error
      waiting.obstacle = error
      log.warn({ err: error }, 'a store does not answer, the service waits for it')
      await pause(PAUSE_MS, signal)
    }
  }
}
