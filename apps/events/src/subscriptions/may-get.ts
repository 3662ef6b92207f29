import type { EventRecord } from '@platform/contracts'
import type { Permissions } from '@platform/permissions'
import { hasAudience } from '../event-log/audience.ts'
import type { SubscriptionRecord } from './subscription.ts'

/** What decides whether an event may go where a subscription says. */
export type Receiving = Pick<SubscriptionRecord, 'seesAll' | 'updatedBy' | 'workspaceId'>

/** True for events that owners alone may read, as in the feed. */
export const isForOwners = (event: Pick<EventRecord, 'type'>): boolean => event.type.startsWith('apikeys.')

/**
 * Why an event may not be sent to a subscription as it is now, undefined when it may. A subscription acts for its
 * workspace and for no user: what has an audience goes to none, whoever has made it. Events for owners go where an
 * owner, as of now, or a super administrator has written the address last.
 */
export async function withheldBecause(
  permissions: Pick<Permissions, 'roleOf'>,
  { seesAll, updatedBy, workspaceId }: Receiving,
  event: Pick<EventRecord, 'type' | 'target'>,
): Promise<string | undefined> {
  if (hasAudience(event)) return 'Not sent: the event is for single users or sockets.'
  if (!isForOwners(event) || seesAll) return undefined
  if ((await permissions.roleOf(updatedBy, workspaceId)) === 'owner') return undefined
  return 'Not sent: the event is for owners, and who changed the subscription last is none; an owner may change it and redeliver.'
}

export const mayGet = async (...asked: Parameters<typeof withheldBecause>): Promise<boolean> =>
  (await withheldBecause(...asked)) === undefined
