import {
  looksOf,
  requireCheapFilter,
  requireFewWildcards,
  SHARED_LOOKS_MAX,
  tooCostly,
} from '../event-log/filter-cost.ts'
import type { SubscriptionRecord } from './subscription.ts'
import type { SubscriptionStore } from './subscription-store.ts'
import { filterOf } from './wanted-events.ts'

/**
 * Throws RequestValidationError for a subscription whose filter costs too much, alone or with the others of its
 * workspace: every event of the workspace is asked about all of them.
 */
export async function requireCheap(
  subscriptions: Pick<SubscriptionStore, 'othersWishes'>,
  record: SubscriptionRecord,
): Promise<void> {
  for (const type of record.events) requireFewWildcards(type, 'body.events')
  for (const value of Object.values(record.filter).flat())
    if (typeof value === 'string') requireFewWildcards(value, 'body.filter')
  const filter = filterOf(record)
  requireCheapFilter(filter, 'body.filter')
  const looks = looksOf(filter)
  if (looks.size === 0) return
  const others = await subscriptions.othersWishes(record.workspaceId, record.id)
  const together = new Set([...looks, ...others.flatMap((other) => [...looksOf(filterOf(other))])])
  if (together.size > SHARED_LOOKS_MAX)
    throw tooCostly(
      'body.filter',
      `The subscriptions of this workspace would look for ${together.size} different paths and wildcards in every event, ${SHARED_LOOKS_MAX} are allowed: use fewer, or the same as others.`,
    )
}
