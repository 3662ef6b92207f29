import { listRuns as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { type Clock, Failure, isUuid } from '@platform/kernel'
import { describedRun } from './run-record.ts'
import type { RunRecordStore } from './run-record-store.ts'

/** Runs that a page looks at, whatever it finds among them. */
const LOOKED_AT = 20_000

export const listRuns = (deps: { records: Pick<RunRecordStore, 'list'>; clock: Clock }) =>
  route(endpoint, {
    async handle({ query, admitted: { workspace } }) {
      const { limit, cursor, ...filter } = query
      if (cursor !== undefined && !isUuid(cursor)) throw unknownCursor()

      const { runs, nextCursor } = await deps.records.list({
        workspaceId: workspace.id,
        filter,
        cursor,
        limit,
        lookedAt: LOOKED_AT,
      })

      const now = deps.clock.now()
      return { runs: runs.map((run) => describedRun(run, now)), nextCursor }
    },
  })

const unknownCursor = () =>
  new Failure(
    'RequestValidationError',
    'query.cursor: must be the nextCursor of a page; leave it out to begin.',
    {
      details: [{ path: 'query.cursor', message: 'must be the nextCursor of a page' }],
    },
  )
