import { listVersions as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { type ApiVersion, stateOf, successorOf } from './api-version.ts'
import { datedChanges } from './transforms/dated-changes.ts'

const newestFirst = datedChanges
  .map(({ date, resource, summary }) => ({ date, resource, summary }))
  .toReversed()

/** From the table and the clock alone: it touches no store. */
export const listVersions = (deps: { versions: readonly ApiVersion[]; clock: Clock }) => {
  const headers = { 'cache-control': 'public, max-age=300', vary: 'origin' }
  return route(endpoint, {
    async handle() {
      const now = deps.clock.now()
      return respond(
        deps.versions.map((entry) => present(entry, now)),
        { headers },
      )
    },
  })
}

function present(entry: ApiVersion, now: Date) {
  const { name, releasedOn, deprecatedAt = null, retiresAt = null } = entry
  const state = stateOf(entry, now)
  const isEnding = deprecatedAt !== null || retiresAt !== null
  const successor = isEnding ? successorOf(entry) : (entry.successor ?? null)
  const changes = name === 'v2' ? newestFirst : []
  return { version: name, state, releasedOn, deprecatedAt, retiresAt, successor, changes }
}
