export { freePort } from './free-port.ts'
export { inBatches, type Job, runOnce, startJob } from './job.ts'
export { Resources } from './resources.ts'
export { processEnv, type RunOptions, run } from './run.ts'
export { runInWorkers, workersField } from './run-in-workers.ts'
export {
  type AnnouncedEvent,
  onEveryInstance,
  onOneInstance,
  type Service,
  type ServiceContext,
  type ServiceParts,
  type Subscription,
} from './service.ts'
export { settingsOf } from './settings.ts'
export { type RunningService, type StartOptions, startService } from './start-service.ts'
