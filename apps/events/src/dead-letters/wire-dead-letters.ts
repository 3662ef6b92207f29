import { listDeadLetters as list, replayDeadLetters as replay } from '@platform/broker'
import type { Database } from '@platform/database'
import type { Route } from '@platform/http'
import type { DeadLetters } from './dead-letter.ts'
import { listDeadLetters } from './list-dead-letters.ts'
import { replayDeadLetters } from './replay-dead-letters.ts'

/** What operators do with the events that groups gave up, for the composition root. */
export function wireDeadLetters({ database }: { database: Database }): { routes: Route[] } {
  const deadLetters: DeadLetters = {
    list: (page) => list(database, page),
    replay: (letters) => replay(database, letters),
  }
  return { routes: [listDeadLetters({ deadLetters }), replayDeadLetters({ deadLetters })] }
}
