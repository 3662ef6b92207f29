import { setTimeout as pause } from 'node:timers/promises'

/** Does work again after errors that may pass, `tries` times in all; throws the last error. */
export async function triedAgain<T>(
  work: () => Promise<T>,
  {
    tries,
    isPassing,
    pauseMs,
  }: { tries: number; isPassing: (error: unknown) => boolean; pauseMs: () => number },
): Promise<T> {
  for (let done = 1; ; done += 1) {
    try {
      return await work()
    } catch (error) {
      if (done >= tries || !isPassing(error)) throw error
      await pause(pauseMs())
    }
  }
}

/**
 * How long to rest after a number of failures in a row: twice as long after each, up to a limit. Drawn from the upper
 * half, so that those who failed together do not come back together.
 */
export const growingPauseMs = (
  failures: number,
  { firstMs, longestMs }: { firstMs: number; longestMs: number },
): number => Math.min(longestMs, firstMs * 2 ** Math.min(failures, 30)) * (0.5 + Math.random() / 2)
