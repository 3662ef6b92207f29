import {
  replayDeadLetters as askAgain,
  listDeadLetters as findLetters,
  type StoredDeadLetter,
} from '@platform/broker'
import {
  type EventDeadLetter,
  listDeadLetters as list,
  replayDeadLetters as replay,
} from '@platform/contracts'
import type { Database } from '@platform/database'
import { respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'

/** What groups gave up, without the payloads: those belong to the workspaces. */
export const listDeadLetters = ({ database }: { database: Database }) =>
  route(list, {
    async handle({ query: { group, after, limit } }) {
      const letters = await findLetters(database, {
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

/** Once what was wrong is mended: the group that gave events up gets them again, and no other group. */
export const replayDeadLetters = ({ database }: { database: Database }) =>
  route(replay, {
    async handle({ body: { group, eventId } }) {
      const replayed = await askAgain(database, {
        group,
        ...(eventId === undefined ? {} : { eventIds: [eventId] }),
      })
      if (eventId !== undefined && replayed === 0) {
        throw new Failure(
          'ObjectNotFoundError',
          `The group "${group}" has no dead letter "${eventId}" that waits: ` +
            'GET /v2/platform/events/dead-letters lists them.',
        )
      }

      return { replayed }
    },
  })
