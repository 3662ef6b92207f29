import { getRun as endpoint, listEvents } from '@platform/contracts'
import { route } from '@platform/http'
import { type Clock, isUuid } from '@platform/kernel'
import { SecretTexts } from '@platform/logging'
import type { EventLimits } from '@platform/outbox'
import { shownInput } from '../automations/run-events.ts'
import type { Definitions } from '../definitions/definitions.ts'
import { describedRun, runNotFound } from './run-record.ts'
import type { RunRecordStore } from './run-record-store.ts'

interface Deps {
  readonly records: Pick<RunRecordStore, 'find'>
  readonly definitions: Pick<Definitions, 'find'>
  readonly clock: Clock
  readonly limits: EventLimits
}

export const getRun = (deps: Deps) =>
  route(endpoint, {
    async handle({ params: { runId }, admitted: { workspace } }) {
      const record = isUuid(runId) ? await deps.records.find(workspace.id, runId) : undefined
      if (record === undefined) throw runNotFound()

      const input = await inputOf(deps, workspace.id, record)

      return {
        ...describedRun(record, deps.clock.now()),
        ...(input === undefined ? {} : { input }),
        eventsUrl: eventsUrl(workspace.id, record.correlationId),
      }
    },
  })

type Found = NonNullable<Awaited<ReturnType<RunRecordStore['find']>>>

/** Only the automation says what of its input is secret: without it nothing is shown. */
async function inputOf(deps: Deps, workspaceId: string, { input, automationSlug }: Found): Promise<unknown> {
  if (input === null) return undefined
  const workspace = await deps.definitions.find(workspaceId)
  const automation = await workspace?.find(automationSlug)
  if (automation === undefined) return undefined
  const secrets = new SecretTexts()
  for (const secret of automation.inputs.secretsIn(input.payload)) secrets.add(secret)
  return shownInput(automation, input.payload, secrets, deps.limits.executedMaxLength)
}

const eventsUrl = (workspaceId: string, correlationId: string): string =>
  `${listEvents.path.replace(':workspaceId', workspaceId)}?correlationId=${encodeURIComponent(correlationId)}`
