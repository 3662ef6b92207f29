import type { Run } from '@platform/contracts'
import { Failure, uuidv7Ms } from '@platform/kernel'
import { remedyOf } from './remedies.ts'

/** Where a run is looked for. */
export interface RunPlace {
  readonly workspaceId: string
  readonly runId: string
}

/** A run as its row says it. */
export interface RunRecord {
  readonly id: string
  readonly automationSlug: string
  readonly status: Run['status']
  readonly triggerType: Run['trigger']['type']
  readonly triggerValue: string
  readonly triggerId: string | null
  readonly correlationId: string
  readonly deadLetter: boolean
  readonly startedAt: Date | null
  readonly finishedAt: Date | null
  readonly durationMs: number | null
  readonly priority: number
  readonly try: number
  readonly waitsFor: NonNullable<Run['waitsFor']>['kind'] | null
  readonly dueAt: Date | null
  readonly waitsForEvents: string[] | null
  readonly retriedBy: Run['retriedBy']
  readonly originId: string | null
  readonly originKind: NonNullable<Run['origin']>['kind'] | null
  readonly sourceWorkspaceId: string | null
  readonly authenticatedWorkspaceId: string | null
  readonly error: StoredError | null
}

/** How a run failed, as it is kept: secrets are masked already. */
export type StoredError = Omit<NonNullable<Run['error']>, 'remedy'>

/** A run as callers see it. Its id holds the instant at which it was triggered. */
export function describedRun(record: RunRecord, now: Date): Run {
  const { id, automationSlug, status, correlationId, deadLetter, startedAt, finishedAt, error } = record
  const createdMs = uuidv7Ms(id)
  return {
    id,
    automationSlug,
    status,
    trigger: triggerOf(record),
    correlationId,
    deadLetter,
    createdAt: new Date(createdMs).toISOString(),
    startedAt: startedAt?.toISOString() ?? null,
    finishedAt: finishedAt?.toISOString() ?? null,
    workedMs: record.durationMs ?? 0,
    elapsedMs: Math.max(0, (finishedAt ?? now).getTime() - createdMs),
    try: record.try,
    priority: record.priority,
    waitsFor: waitOf(record),
    origin: originOf(record),
    retriedBy: record.retriedBy,
    sourceWorkspaceId: record.sourceWorkspaceId,
    authenticatedWorkspaceId: record.authenticatedWorkspaceId,
    error: error === null ? null : { ...error, ...withRemedy(error.error) },
  }
}

const triggerOf = ({ triggerType: type, triggerValue: value, triggerId: id }: RunRecord): Run['trigger'] =>
  id === null ? { type, value } : { type, value, id }

const waitOf = ({ waitsFor: kind, dueAt, waitsForEvents: events }: RunRecord): Run['waitsFor'] =>
  kind === null ? null : { kind, until: dueAt?.toISOString() ?? null, ...(events === null ? {} : { events }) }

const originOf = ({ originId: runId, originKind: kind }: RunRecord): Run['origin'] =>
  runId === null || kind === null ? null : { runId, kind }

const withRemedy = (name: string): { remedy?: string } => {
  const remedy = remedyOf(name)
  return remedy === undefined ? {} : { remedy }
}

/** What needs the end of a run. */
export const runNotEnded = ({ status }: Pick<RunRecord, 'status'>): Failure =>
  new Failure('RunNotEnded', `The run is ${status}: wait for its end, or cancel it.`)

export const retryNotEnded = ({ runId, status }: NonNullable<RunRecord['retriedBy']>): Failure =>
  new Failure('RunNotEnded', `The run is retried already, as ${runId}, which is ${status}: wait for its end.`)

export const retriedBefore = ({ runId }: NonNullable<RunRecord['retriedBy']>): Failure =>
  new Failure('RunEnded', `The run was retried already, as ${runId}.`)

/** The same for a run that is missing and for one of another workspace. */
export const runNotFound = (): Failure =>
  new Failure(
    'ObjectNotFoundError',
    'There is no such run in this workspace: runs are listed at …/runs. One that a request waits for is there when ' +
      'it has ended, and old ones are dropped.',
  )

export const inputNotKept = (): Failure =>
  new Failure(
    'RunExpired',
    'What the run was called with is not kept, because a request waited for it: send that again. It is kept of ' +
      'automations that say `durable: true`.',
  )
