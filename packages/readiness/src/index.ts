export { type Check, PROBE_TIMEOUT_MS, ProbeTimeout, runChecks } from './check.ts'
export { moduleErrorNames } from './error-name.ts'
export { cachedFor } from './report-cache.ts'
export { safeMessage } from './safe-message.ts'
