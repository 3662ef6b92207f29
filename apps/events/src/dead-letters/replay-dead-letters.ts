import { replayDeadLetters as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import type { DeadLetters } from './dead-letter.ts'

/** Once what was wrong is mended: the group that gave events up gets them again, and no other group. */
export const replayDeadLetters = (deps: { deadLetters: Pick<DeadLetters, 'replay'> }) =>
  route(endpoint, {
    async handle({ body: { group, eventId } }) {
      const replayed = await deps.deadLetters.replay({
        group,
        ...(eventId === undefined ? {} : { eventIds: [eventId] }),
      })
      if (eventId !== undefined && replayed === 0) {
        throw new Failure(
          'ObjectNotFoundError',
          `The group "${group}" has no dead letter "${eventId}" that waits: GET /v2/platform/events/dead-letters lists them.`,
        )
      }

      return { replayed }
    },
  })
