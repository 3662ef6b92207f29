import type { EventRecord } from '@platform/contracts'
import { type AskedDocument, compileFilter, type Filter } from '@platform/search'
import { anyValue } from '../event-log/event-filter.ts'
import {
  looksOf,
  requireCheapFilter,
  requireFewWildcards,
  SHARED_LOOKS_MAX,
  tooCostly,
} from '../event-log/filter-cost.ts'
import type { SubscriptionRecord } from './subscription.ts'
import type { SubscriptionStore } from './subscription-store.ts'

/** What decides which events a subscription gets. */
type Wanting = Pick<SubscriptionRecord, 'events' | 'filter'>

/** Clocks of instances differ a little; better an event too many than one too few. */
const SKEW_MS = 5000

/** The filter of a subscription: one of its types, and every path has one of its values. */
export const filterOf = ({ events, filter }: Wanting): Filter => ({
  all: [
    anyValue('type', events),
    ...Object.entries(filter).map(([path, values]) =>
      anyValue(path, [values].flat() as (string | number | boolean)[]),
    ),
  ],
})

/** Whether a subscription asks for an event, and was active when it happened. */
export function wishOf(
  subscription: Wanting & Pick<SubscriptionRecord, 'activeSince'>,
): (event: EventRecord, asked: AskedDocument) => boolean {
  const condition = compileFilter(filterOf(subscription))
  const since = subscription.activeSince.getTime() - SKEW_MS
  return (event, asked) => Date.parse(event.createdAt) >= since && condition(asked)
}

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
      `The subscriptions of this workspace would look for ${together.size} different paths and ` +
        `wildcards in every event, ${SHARED_LOOKS_MAX} are allowed: use fewer, or the same as others.`,
    )
}
