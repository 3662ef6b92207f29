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

export const testSettingsOf = (
  { slices, events, maxDepth, options, urls, lifetimes, contextSizes, log, marker, ...parts }: EngineParts,
  fetchSettings: FetchSettings,
): TestSettings => {
  const { maxWaitMs, unheardAnswer } = parts
  const limits = { events, maxDepth, lifetimes, contextSizes, maxWaitMs, fetchSettings }
  return { slices, options, urls, log, marker, unheardAnswer, ...limits }
}
