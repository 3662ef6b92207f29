import { automationExecuted, ExecutionsReport } from '@platform/contracts'
import type { Filter, Retained } from '@platform/search'
import type { Budget, Cleanup, Progress } from './cleanup.ts'
import { countDocuments } from './decide-drop.ts'
import { noIndices } from './indices-report.ts'
import { strippedBefore } from './retention.ts'
import type { StoredStreams } from './stored-streams.ts'

const LOG = 'log'
const INDEX = 'index'

type Deps = Pick<StoredStreams, 'log' | 'index' | 'settings' | 'clock'>

/** Removes payload and output of old executions, first from the log, then from its copy. */
export const stripExecutions = (deps: Deps): Cleanup<ExecutionsReport> => ({
  name: 'executions',
  schema: ExecutionsReport,
  start: { cursor: LOG, report: { stripped: 0 } },
  async step(cursor, report, budget): Promise<Progress<ExecutionsReport>> {
    const { log, index } = deps
    const isLog = cursor === LOG
    const stripped = await strip(deps, isLog ? log : index, budget)
    const counted = isLog ? { stripped: report.stripped + stripped.documents } : report
    if (!stripped.finished) return { cursor, report: counted }
    return { cursor: isLog && index !== undefined ? INDEX : undefined, report: counted }
  },
  preview: async () => ({ report: { stripped: await countStrippable(deps) }, done: true }),
  summary: ({ stripped }) => ({ ...noIndices, strippedExecutions: stripped }),
})

async function strip({ settings, clock }: Deps, from: Retained | undefined, budget: Budget) {
  const limit = budget.next
  if (from === undefined) return { documents: 0, finished: true }
  if (limit === 0) return { documents: 0, finished: false }
  const documents = await from.stripExecuted(strippedBefore(settings, clock.now()), limit)
  budget.took(documents)
  return { documents, finished: documents < limit }
}

async function countStrippable({ log, settings, clock }: Deps): Promise<number> {
  const filter: Filter = {
    all: [
      { path: 'type', in: [automationExecuted.type] },
      { path: 'createdAt', below: strippedBefore(settings, clock.now()).toISOString() },
      {
        any: [
          { not: { path: 'payload.payload', missing: true } },
          { not: { path: 'payload.output', missing: true } },
        ],
      },
    ],
  }
  return await countDocuments(log, filter)
}
