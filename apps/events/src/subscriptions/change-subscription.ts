import type { SubscriptionChange } from '@platform/contracts'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Outbound } from '@platform/outbound'
import type { SubscriptionNeeds } from './needs.ts'
import { type SubscriptionRecord, sealContextOf } from './subscription.ts'
import { lockSubscription, type Manager } from './subscription-access.ts'
import { requireCheap } from './wanted-events.ts'

/**
 * Changes a subscription of the manager's workspace in one transaction, from what it is when the change is made; 404
 * when it isn't there.
 */
export const commitChange = (
  { changes }: Pick<SubscriptionNeeds, 'changes'>,
  { workspaceId }: Manager,
  subscriptionId: string,
  change: (before: SubscriptionRecord) => SubscriptionRecord,
): Promise<SubscriptionRecord> =>
  changes.commit(async ({ subscriptions }) => {
    const before = await lockSubscription(subscriptions, workspaceId, subscriptionId)
    const after = change(before)
    if (asksOtherwise(before, after)) {
      await subscriptions.lockAll(workspaceId)
      await requireCheap(subscriptions, after)
    }
    await subscriptions.update(after)
    return after
  })

const asksOtherwise = (before: SubscriptionRecord, after: SubscriptionRecord): boolean =>
  before.events !== after.events || before.filter !== after.filter

/** A subscription after a change. Its last manager answers for what it may get. */
export function changedBy(
  before: SubscriptionRecord,
  change: SubscriptionChange,
  manager: Manager,
  masterKeys: MasterKeyRing,
  now: Date,
): SubscriptionRecord {
  const { headers, active, ...plain } = withoutUndefined(change)
  return {
    ...before,
    ...plain,
    ...(headers === undefined ? {} : sealedHeaders(before.id, headers, masterKeys)),
    // Another endpoint has not failed yet.
    ...(plain.url === undefined || plain.url === before.url ? {} : { failingSince: null }),
    ...(active === undefined || active === before.active ? {} : switched(active, now)),
    updatedBy: manager.id,
    seesAll: manager.seesAll,
    updatedAt: now,
  }
}

/** Paused by hand, or sending again: what happened in between is not collected, and failures are counted anew. */
function switched(active: boolean, now: Date): Partial<SubscriptionRecord> {
  if (active) return { active, activeSince: now, pausedReason: null, pausedAt: null, failingSince: null }
  return { active, pausedReason: 'manual', pausedAt: now }
}

function sealedHeaders(
  id: string,
  headers: Record<string, string>,
  masterKeys: MasterKeyRing,
): Pick<SubscriptionRecord, 'headers' | 'headerNames'> {
  const headerNames = Object.keys(headers).map((name) => name.toLowerCase())
  if (headerNames.length === 0) return { headers: null, headerNames }
  return { headers: masterKeys.seal(JSON.stringify(headers), sealContextOf(id, 'headers')), headerNames }
}

type Given<T> = { [K in keyof T]: Exclude<T[K], undefined> }

const withoutUndefined = (change: SubscriptionChange): Given<SubscriptionChange> =>
  Object.fromEntries(
    Object.entries(change).filter(([, value]) => value !== undefined),
  ) as Given<SubscriptionChange>

/**
 * What of a saved subscription will not arrive as it is; nothing beside the subscription where there is nothing to
 * say.
 */
export async function warningsOf(
  outbound: Pick<Outbound, 'expectedRefusal'>,
  { url }: { url: string },
): Promise<{ warnings?: { path: string; message: string }[] }> {
  const refusal = await outbound.expectedRefusal(new URL(url))
  if (refusal === undefined) return {}
  return { warnings: [{ path: 'url', message: `Nothing will be delivered: ${refusal}` }] }
}
