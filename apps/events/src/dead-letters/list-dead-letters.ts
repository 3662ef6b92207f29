import type { StoredDeadLetter } from '@platform/broker'
import { type EventDeadLetter, listDeadLetters as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import type { DeadLetters } from './dead-letter.ts'

/** What groups gave up, without the payloads: those belong to the workspaces. */
export const listDeadLetters = (deps: { deadLetters: Pick<DeadLetters, 'list'> }) =>
  route(endpoint, {
    async handle({ query: { group, after, limit } }) {
      const letters = await deps.deadLetters.list({
        limit,
        ...(group === undefined ? {} : { group }),
        ...(after === undefined ? {} : { after }),
      })

      const next = letters.length < limit ? null : (letters.at(-1)?.number ?? null)
      const body = { deadLetters: letters.map(shown), next }
      return respond(body, { headers: { 'cache-control': 'no-store' } })
    },
  })

const shown = ({ group, eventId, record, reason, at, isAsked }: StoredDeadLetter): EventDeadLetter => ({
  group,
  eventId,
  type: record?.type ?? null,
  workspaceId: record?.source?.workspaceId ?? null,
  reason,
  at: at.toISOString(),
  replaying: isAsked,
})
