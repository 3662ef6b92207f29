import { getRun as endpoint, listEvents } from '@platform/contracts'
import { route } from '@platform/http'
import { type Clock, isUuid } from '@platform/kernel'
import { SecretTexts } from '@platform/logging'
import type { EventLimits } from '@platform/outbox'
import { shownInput } from '../automations/run-events.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { Inspections } from '../inspection/inspect-run.ts'
import { describedRun, runNotFound } from './run-record.ts'
import type { KeptRun, RunRecordStore } from './run-record-store.ts'

interface Deps {
  readonly records: Pick<RunRecordStore, 'find'>
  readonly definitions: Pick<Definitions, 'find'>
  readonly inspections: Pick<Inspections, 'look'>
  readonly clock: Clock
  readonly limits: EventLimits
}

/** Longest somebody waits for others of the workspace who look at runs. */
const PATIENCE_MS = 30_000

export const getRun = (deps: Deps) =>
  route(endpoint, {
    async handle({ params: { runId }, query, admitted: { workspace } }) {
      const record = isUuid(runId) ? await deps.records.find(workspace.id, runId) : undefined
      if (record === undefined) throw runNotFound()

      return {
        ...describedRun(record, deps.clock.now()),
        ...(await didOf(deps, workspace.id, record, query)),
        eventsUrl: eventsUrl(workspace.id, record.correlationId),
      }
    },
  })

interface Query {
  readonly steps: 'tree' | 'none'
  readonly path?: string | undefined
  readonly at?: number | undefined
}

/** What it was called with, and what it did. */
async function didOf(
  deps: Deps,
  workspaceId: string,
  record: KeptRun,
  { steps, path, at }: Query,
): Promise<object> {
  const hasBegun = record.startedAt !== null
  if (steps === 'tree' && hasBegun) {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    const did = await deps.inspections.look(workspaceId, record, { path, at, signal })
    return did ?? { steps: [], stoppedAt: { reason: 'notKept', number: 0 } }
  }
  const input = await inputOf(deps, workspaceId, record)
  return { ...(input === undefined ? {} : { input }), ...(steps === 'tree' ? { steps: [] } : {}) }
}

/** Only the automation says what of its input is secret: without it nothing is shown. */
async function inputOf(
  deps: Deps,
  workspaceId: string,
  { input, automationSlug, revision }: KeptRun,
): Promise<unknown> {
  if (input === null) return undefined
  const workspace = await deps.definitions.find(workspaceId, revision)
  const automation = await workspace?.find(automationSlug)
  if (automation === undefined) return undefined
  const secrets = new SecretTexts()
  for (const secret of automation.inputs.secretsIn(input.payload)) secrets.add(secret)
  return shownInput(automation, input.payload, secrets, deps.limits.executedMaxLength)
}

const eventsUrl = (workspaceId: string, correlationId: string): string =>
  `${listEvents.path.replace(':workspaceId', workspaceId)}?correlationId=${encodeURIComponent(correlationId)}`
