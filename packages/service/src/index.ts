export { inBatches, type Job, runOnce, startJob } from './job.ts'
export { Resources } from './resources.ts'
export { processEnv, type RunOptions, run, runContained } from './run.ts'
export { runInWorkers, workersField } from './run-in-workers.ts'
export type { Command } from './run-migrations.ts'
export {
  joinParts,
  type Part,
  type Service,
  type ServiceContext,
  type ServiceParts,
  type StartedElsewhere,
} from './service.ts'
export { settingsOf } from './settings.ts'
export { freePort } from './start-failure.ts'
export { collectStart } from './start-garbage.ts'
export { type RunningService, type StartOptions, startService } from './start-service.ts'
export { onEveryInstance, onOneInstance, type Subscription } from './subscriptions.ts'
