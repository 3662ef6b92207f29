import { exposeReadings, type Reading } from '@platform/http'
import type { Logger } from '@platform/logging'
import { pause } from './pause.ts'

/** Work done now and again. Any instance may run it: what must happen once decides that inside. */
export interface Job {
  name: string
  everyMs: number
  run: (signal: AbortSignal) => Promise<void>
  /** True when the service is not ready before the first run has succeeded, for example the first signing key. */
  requiredAtStart?: boolean
}

/** The first run comes soon: a process that is restarted often would never get to what it does every six hours. */
const FIRST_RUN_MS = 5000

const jitter = (ms: number) => ms * (0.9 + Math.random() * 0.2)

/** Runs the job for ever, one run at a time, until disposed. A failed run is logged and tried again after its pause. */
export function startJob(job: Job, log: Logger): AsyncDisposable {
  const stopping = new AbortController()
  const { signal } = stopping
  const firstMs = job.requiredAtStart === true ? job.everyMs : Math.min(job.everyMs, FIRST_RUN_MS)
  const running = (async () => {
    for (let pauseMs = firstMs; !signal.aborted; pauseMs = job.everyMs) {
      await pause(jitter(pauseMs), signal, { background: true })
      if (!signal.aborted) await runOnce(job, log, signal)
    }
  })()
  return {
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await running
    },
  }
}

/** One run; answers whether it succeeded. A failure is logged, unless `isReported` says that it was shown already. */
export async function runOnce(
  job: Job,
  log: Logger,
  signal: AbortSignal,
  isReported: (error: unknown) => boolean = () => false,
): Promise<boolean> {
  try {
    await job.run(signal)
    countJobRun(job.name, true)
    return true
  } catch (error) {
    if (signal.aborted) return false
    countJobRun(job.name, false)
    if (!isReported(error)) log.warn({ job: job.name, err: error }, 'job failed, it will be tried again')
    return false
  }
}

/**
 * Repeats work that takes at most `size` rows and answers how many it took, until it takes fewer or the job is
 * stopped.
 */
export async function inBatches(
  size: number,
  signal: AbortSignal,
  work: (limit: number) => Promise<number>,
): Promise<void> {
  while (!signal.aborted) if ((await work(size)) < size) return
}

/** How the runs of one job went. */
class JobRuns {
  succeeded = 0
  failed = 0
  /** Unix seconds; 0 before the first. */
  succeededAt = 0
}

const jobs = new Map<string, JobRuns>()

/** Counts a run of a job. The name is the program's own. */
function countJobRun(job: string, succeeded: boolean): void {
  let runs = jobs.get(job)
  if (runs === undefined) {
    runs = new JobRuns()
    jobs.set(job, runs)
  }
  if (!succeeded) {
    runs.failed += 1
    return
  }
  runs.succeeded += 1
  runs.succeededAt = Date.now() / 1000
}

const eachJob = (read: (job: string, runs: JobRuns) => Reading[]) => () =>
  [...jobs].flatMap(([job, runs]) => read(job, runs))

exposeReadings(
  { name: 'platform_job_runs_total', help: 'Runs of background work, by how they ended.', type: 'counter' },
  eachJob((job, { succeeded, failed }) => [
    { labels: { task: job, outcome: 'success' }, value: succeeded },
    { labels: { task: job, outcome: 'failure' }, value: failed },
  ]),
)

exposeReadings(
  {
    name: 'platform_job_last_success_timestamp_seconds',
    help: 'When background work last succeeded, Unix seconds.',
    type: 'gauge',
  },
  eachJob((job, { succeededAt }) => (succeededAt > 0 ? [{ labels: { task: job }, value: succeededAt }] : [])),
)
