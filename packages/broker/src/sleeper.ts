import type { WakeUp } from '@platform/kernel'

/** How long a reader of an empty log waits after the last news: shortly at first, for what is still being committed. */
const WAITS_MS = [5, 15, 50, 150, 500] as const

/** How one reader of the log waits for news. */
export interface Sleeper {
  /** Called before looking: what woke until now is known. */
  awake(): void
  /** Called when something was found. */
  reset(): void
  /** Waits to be woken, but not for long. */
  sleep(signal: AbortSignal): Promise<void>
}

/** The waits of one reader of the log. */
export function sleeperOn(wakeUp: WakeUp): Sleeper {
  let seen = wakeUp.count
  let idle = 0
  return {
    awake: () => {
      seen = wakeUp.count
    },
    reset: () => {
      idle = 0
    },
    sleep: async (signal) => {
      if (seen === wakeUp.count) await wakeUp.waitSince(seen, WAITS_MS[idle], signal)
      idle = seen === wakeUp.count ? Math.min(idle + 1, WAITS_MS.length - 1) : 0
    },
  }
}
