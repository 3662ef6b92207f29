import { getRunState as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure, isUuid } from '@platform/kernel'
import type { Inspections } from '../inspection/inspect-run.ts'
import { runNotFound } from './run-record.ts'
import type { RunRecordStore } from './run-record-store.ts'

interface Deps {
  readonly records: Pick<RunRecordStore, 'find'>
  readonly inspections: Pick<Inspections, 'stateAt'>
}

export const getRunState = ({ records, inspections }: Deps) =>
  route(endpoint, {
    async handle({ params: { runId }, query: { at }, admitted: { workspace } }) {
      const record = isUuid(runId) ? await records.find(workspace.id, runId) : undefined
      if (record === undefined) throw runNotFound()

      const signal = AbortSignal.timeout(30_000)
      const state = await inspections.stateAt(workspace.id, record, { at, signal })
      if (state === undefined) throw expired()
      return state
    },
  })

const expired = () =>
  new Failure(
    'RunExpired',
    'What the run was called with, or its automation, is not kept any more: RUN_DETAILS says of which runs it is.',
  )
