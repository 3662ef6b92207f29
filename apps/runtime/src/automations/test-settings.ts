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
> & { readonly fetchSettings: FetchSettings }

/** The same limits as everything else has. */
export const testSettings = (
  config: Pick<
    RuntimeConfig,
    'events' | 'maxDepth' | 'expressions' | 'urls' | 'lifetimes' | 'contextSizes' | 'runs' | 'fetches'
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
})
