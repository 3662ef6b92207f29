import { setTimeout } from 'node:timers/promises'
import type { Logger } from '@platform/logging'

/** Work done now and again. Any instance may run it: what must happen once decides that inside. */
export interface Job {
  name: string
  everyMs: number
  run: (signal: AbortSignal) => Promise<void>
  /** True when the service is not ready before the first run has succeeded, for example the first signing key. */
  requiredAtStart?: boolean
}

const jitter = (everyMs: number) => everyMs * (0.9 + Math.random() * 0.2)

/** Runs the job for ever, one run at a time, until disposed. A failed run is logged and tried again after its pause. */
export function startJob(job: Job, log: Logger): AsyncDisposable {
  const stopping = new AbortController()
  const running = (async () => {
    while (!stopping.signal.aborted) {
      await pause(jitter(job.everyMs), stopping.signal)
      if (!stopping.signal.aborted) await runOnce(job, log, stopping.signal)
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}

/** Resolves after `ms`, or as soon as the signal aborts. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal, ref: false }).catch(() => undefined)

/** One run; answers whether it succeeded. */
export async function runOnce(job: Job, log: Logger, signal: AbortSignal): Promise<boolean> {
  try {
    await job.run(signal)
    return true
  } catch (error) {
    if (!signal.aborted) log.warn({ job: job.name, err: error }, 'job failed, it will be tried again')
    return false
  }
}
