import { forkRun as endpoint } from '@platform/contracts'
import { compilePath, ExpressionError } from '@platform/expressions'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { requireActive } from '../automations/suspension.ts'
import { refusalOfWrite } from '../contexts/described-contexts.ts'
import { answerNewRun, type NewRunDeps } from './new-run.ts'
import { admitToRuns } from './run-access.ts'
import type { RunsAgain } from './runs-again.ts'

interface Deps extends NewRunDeps {
  readonly again: Pick<RunsAgain, 'fork'>
}

export const forkRun = (deps: Deps) =>
  route(endpoint, {
    admit: ({ params, principal }) => admitToRuns(deps.permissions, principal, params.workspaceId),
    async handle({ params: { runId }, body, principal, request, admitted: { workspace } }) {
      requireActive(workspace)
      const { at, set: sets = [], definition = 'original' } = body
      for (const [index, { path }] of sets.entries()) requirePath(path, `body.set[${index}].path`)
      const who = { principal, request, details: { at } }
      return await answerNewRun(
        deps,
        { action: 'run.forked', runId, workspaceId: workspace.id, ...who },
        (change, newId) => deps.again.fork(change, newId, { at, sets, definition }),
      )
    },
  })

function requirePath(path: string, place: string): void {
  const message = refusalOf(path)
  if (message === undefined) return
  throw new Failure('RequestValidationError', `${place}: ${message}.`, {
    details: [{ path: place, message }],
  })
}

/** What a path takes from variables is known only where the run goes on. */
function refusalOf(path: string): string | undefined {
  let isKnown = true
  const resolve = () => {
    isKnown = false
    return 'unknown'
  }
  try {
    return refusalOfWrite(compilePath(path).resolve({ resolve }).segments)
  } catch (error) {
    if (!isKnown) return undefined
    const why = error instanceof ExpressionError ? ` (${error.message.replace(/\.$/, '')})` : ''
    return `must be the path of a variable, such as order.items[0] or global.count${why}`
  }
}
