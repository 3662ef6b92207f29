import type { EventRecord } from '@platform/contracts'
import { type AskedDocument, compileFilter, type Filter } from '@platform/search'
import { anyValue } from '../event-log/any-value.ts'
import type { SubscriptionRecord } from './subscription.ts'

/** What decides which events a subscription gets. */
export type Wanting = Pick<SubscriptionRecord, 'events' | 'filter'>

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

/** Tells of events whether a subscription asks for them, and has been listening when they happened. */
export function wishOf(
  subscription: Wanting & Pick<SubscriptionRecord, 'activeSince'>,
): (event: EventRecord, asked: AskedDocument) => boolean {
  const condition = compileFilter(filterOf(subscription))
  const since = subscription.activeSince.getTime() - SKEW_MS
  return (event, asked) => Date.parse(event.createdAt) >= since && condition(asked)
}
