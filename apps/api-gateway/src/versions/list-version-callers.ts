import { listVersionCallers as endpoint, type VersionCaller } from '@platform/contracts'
import { nextPage, respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { ApiVersion } from './api-version.ts'
import type { VersionCallerRow, VersionCallerStore } from './version-caller-store.ts'

interface Needs {
  versions: readonly ApiVersion[]
  callers: Pick<VersionCallerStore, 'listOf'>
}

/** Tells operators whom the end of a version would meet. */
export const listVersionCallers = (deps: Needs) =>
  route(endpoint, {
    async handle({ params: { version }, query: { page, limit }, request }) {
      if (!deps.versions.some(({ name }) => name === version))
        throw new Failure('ObjectNotFoundError', 'There is no such version: GET /v2/versions lists them.')

      const found = await deps.callers.listOf(version, { offset: page * limit, limit: limit + 1 })

      const headers = found.length > limit ? { link: nextPage(request.url, page) } : {}
      return respond(found.slice(0, limit).map(present), { headers })
    },
  })

const present = (row: VersionCallerRow): VersionCaller => ({
  kind: row.kind,
  clientId: row.clientId || null,
  userId: row.kind === 'user' ? row.callerId : null,
  apiKeyId: row.kind === 'apiKey' ? row.callerId : null,
  behaviourOf: row.behaviourOf || null,
  count: row.count,
  firstSeenAt: row.firstSeenAt.toISOString(),
  lastSeenAt: row.lastSeenAt.toISOString(),
})
