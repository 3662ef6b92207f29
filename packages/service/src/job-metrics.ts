import { exposeReadings, type Reading } from '@platform/http'

/** How the runs of one job went. */
class JobRuns {
  succeeded = 0
  failed = 0
  /** Unix seconds; 0 before the first. */
  succeededAt = 0
}

const jobs = new Map<string, JobRuns>()

/** Counts a run of a job. The name is the program's own. */
export function countJobRun(job: string, succeeded: boolean): void {
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
