/** How what is to happen later is begun. A test has timers that no real time moves. */
export interface Timers {
  /** Calls `work` after so many milliseconds; calling the answer keeps that from happening. */
  after(ms: number, work: () => void): () => void
  /** The same for what is only gathered for a moment: nobody sees how long that takes. */
  soon(ms: number, work: () => void): () => void
}

function after(ms: number, work: () => void): () => void {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

/** Those of the machine. */
export const systemTimers: Timers = { after, soon: after }

/** Resolves after so many milliseconds; rejects with the reason of `signal` when that aborts before. */
export function pauseBy(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      stop()
      reject(signal.reason)
    }
    const stop = timers.after(ms, () => {
      signal.removeEventListener('abort', abort)
      resolve()
    })
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
