import type { EventRecord } from '@platform/contracts'
import { type Filter, matches } from '@platform/search'
import type { SubscriptionRecord } from './subscription.ts'

/** What decides which events a subscription gets. */
export type Wanting = Pick<SubscriptionRecord, 'events' | 'filter'>

/** Clocks of instances differ a little; better an event too many than one too few. */
const SKEW_MS = 5000

/** The filter of a subscription: one of its types, and every path has one of its values. */
export const filterOf = ({ events, filter }: Wanting): Filter => ({
  all: [
    { any: events.map((type) => valueFilter('type', type)) },
    ...Object.entries(filter).map(([path, values]) => ({
      any: [values].flat().map((value) => valueFilter(path, value)),
    })),
  ],
})

function valueFilter(path: string, value: unknown): Filter {
  if (value === '') return { path, missing: true }
  if (typeof value === 'string' && value.includes('*')) return { path, like: value }
  return { path, in: [value as string | number | boolean] }
}

/** True when a subscription asks for an event, and has been listening when it happened. */
export const isWanted = (
  subscription: Wanting & Pick<SubscriptionRecord, 'activeSince'>,
  event: EventRecord,
): boolean =>
  Date.parse(event.createdAt) >= subscription.activeSince.getTime() - SKEW_MS &&
  matches(filterOf(subscription), event)
