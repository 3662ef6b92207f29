export {
  type Check,
  moduleErrorNames,
  PROBE_TIMEOUT_MS,
  ProbeTimeout,
  runChecks,
  safeMessage,
} from './check.ts'
export { cachedFor } from './report-cache.ts'
