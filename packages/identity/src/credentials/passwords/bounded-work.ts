import { Failure } from '@platform/kernel'

/** Runs work when a place is free. */
export type BoundedWork = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Lets `places` pieces of work run at once and `queue` more wait; whoever comes then is told 503 at once. Hashing is
 * made to be expensive, so a flood of it would take every core from everybody else.
 */
export function boundedWork({ places, queue }: { places: number; queue: number }): BoundedWork {
  const waiting: (() => void)[] = []
  let running = 0
  const leave = () => {
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }
  return async (work) => {
    if (running < places) running += 1
    else if (waiting.length >= queue) throw overloaded()
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

const overloaded = () =>
  new Failure('ServiceUnavailable', 'Too many people sign in at this moment: try again in a few seconds.', {
    retryAfterSeconds: 3,
  })
