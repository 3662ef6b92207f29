import type { Run, RunStep, RunStop } from '@platform/contracts'
import type { FunctionLog } from '@platform/custom-code'
import { described } from '../automations/engine.ts'
import type { Change, SeenList, SeenStep } from './seen-steps.ts'

/** How what was seen is shown. */
export interface Showing {
  readonly mask: (value: unknown) => unknown
  /** Of steps that have not ended, as far as is known. */
  readonly unended: 'done' | 'failed' | 'running'
}

/** They are as the run is, unless it was not looked at to its end: then they are as they were seen last. */
export function unendedOf(status: Run['status'], stopped: RunStop | undefined): Showing['unended'] {
  if (stopped !== undefined) return 'running'
  if (status === 'succeeded') return 'done'
  return status === 'failed' || status === 'cancelled' ? 'failed' : 'running'
}

/** Steps as callers see them. */
export const shownSteps = (list: SeenList, showing: Showing): RunStep[] =>
  list.steps.map((step) => shownStep(step, showing))

export const shownChanges = (changes: readonly Change[], { mask }: Pick<Showing, 'mask'>) =>
  changes.map(({ context, path, before, after }) => ({
    context,
    path,
    ...optional('before', mask(before)),
    ...optional('after', mask(after)),
  }))

const shownStep = (step: SeenStep, showing: Showing): RunStep => ({
  ...shownBriefly(step, showing),
  ...optional('input', showing.mask(step.input)),
  ...optional('output', showing.mask(step.output)),
  ...shownLogs(step, showing),
  ...(step.changed.length === 0 ? {} : { changed: shownChanges(step.changed, showing) }),
  ...(step.steps.length === 0 ? {} : { steps: shownSteps(step, showing) }),
  ...(step.more === 0 ? {} : { more: step.more, ...optional('morePath', step.morePlace) }),
})

/** A step without what it worked with. */
export const shownBriefly = (step: SeenStep, showing: Showing): RunStep => ({
  path: step.path,
  instruction: step.path.slice(step.path.lastIndexOf('].') + 2),
  automationSlug: step.automationSlug,
  number: step.number,
  ...optional('round', step.round),
  ...optional('branch', step.branch),
  status: statusOf(step, showing),
  startedAt: new Date(step.startedMs).toISOString(),
  durationMs: Math.max(0, (step.endedMs ?? step.startedMs) - step.startedMs),
  ...(step.attempts === undefined ? {} : { attempts: step.attempts.map(shownAttempt) }),
  ...(step.emitted.length === 0 ? {} : { emitted: step.emitted }),
  ...(step.started.length === 0 ? {} : { started: step.started }),
  ...(step.failure === undefined
    ? {}
    : { error: showing.mask(described(step.failure)) as NonNullable<RunStep['error']> }),
})

const shownAttempt = ([atMs, durationMs, outcome]: NonNullable<SeenStep['attempts']>[number]) => ({
  at: new Date(atMs).toISOString(),
  durationMs,
  outcome,
})

function statusOf({ endedMs, failure, asks }: SeenStep, { unended }: Showing): RunStep['status'] {
  if (endedMs !== undefined) return failure === undefined ? 'done' : 'failed'
  return asks && unended === 'running' ? 'waiting' : unended
}

/** Too many to be shown are left out. */
function shownLogs({ logs }: SeenStep, { mask }: Showing): Pick<RunStep, 'logs'> {
  if (!Array.isArray(logs)) return {}
  return {
    logs: (mask(logs) as FunctionLog[]).map((one) => ({ ...one, at: new Date(one.at).toISOString() })),
  }
}

const optional = <Name extends string, T>(name: Name, value: T | undefined): { [K in Name]?: T } =>
  value === undefined ? {} : ({ [name]: value } as { [K in Name]: T })
