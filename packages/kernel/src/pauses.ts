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

/** The result of `work`, unless the signal aborts first: then rejects with `failure()`. The work itself goes on. */
export async function beforeAbort<T>(
  work: Promise<T>,
  signal: AbortSignal,
  failure: () => unknown,
): Promise<T> {
  work.catch(() => undefined)
  const aborted = Promise.withResolvers<never>()
  const abort = () => aborted.reject(failure())
  if (signal.aborted) abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([aborted.promise, work])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** What a `Retry-After` asks for, in milliseconds: seconds or a date; undefined when it is neither. */
export function retryAfterMsOf(header: string | null, now: Date): number | undefined {
  if (header === null) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1000
  const at = Date.parse(header)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now.getTime())
}
