import type { AutomationLimits } from '@platform/automation-checks'
import type { RuntimeConfig } from '../config.ts'
import type { FetchSettings } from '../fetches/fetches-env.ts'
import type { EngineParts } from './engine.ts'

/** What of the service tests of automations run by: nothing of it reaches anything outside. */
export type TestSettings = Pick<
  EngineParts,
  | 'slices'
  | 'events'
  | 'maxDepth'
  | 'options'
  | 'urls'
  | 'lifetimes'
  | 'contextSizes'
  | 'log'
  | 'maxWaitMs'
  | 'unheardAnswer'
  | 'marker'
> & {
  readonly fetchSettings: FetchSettings
  /** What automations that come along may be. */
  readonly automationLimits: AutomationLimits
}

/** The same limits as everything else has. */
export const testSettings = (
  config: Pick<
    RuntimeConfig,
    | 'events'
    | 'maxDepth'
    | 'expressions'
    | 'urls'
    | 'lifetimes'
    | 'contextSizes'
    | 'runs'
    | 'fetches'
    | 'automationLimits'
  >,
  given: Pick<EngineParts, 'slices' | 'log' | 'unheardAnswer' | 'marker'>,
): TestSettings => ({
  ...given,
  events: config.events,
  maxDepth: config.maxDepth,
  options: config.expressions,
  urls: config.urls,
  lifetimes: config.lifetimes,
  contextSizes: config.contextSizes,
  maxWaitMs: config.runs.maxWaitMs,
  fetchSettings: config.fetches,
  automationLimits: config.automationLimits,
})
