export { type Check, PROBE_TIMEOUT_MS, ProbeTimeout, runChecks } from './check.ts'
export { cachedFor } from './report-cache.ts'
