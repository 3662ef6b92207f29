import { actorOf, type Principal } from '@platform/auth'
import { isUuid } from '@platform/kernel'
import type { Admission } from '@platform/permissions'
import { seesEverything } from '../event-log/event-visibility.ts'
import { type SubscriptionRecord, subscriptionNotFound } from './subscription.ts'
import type { SubscriptionStore } from './subscription-store.ts'

/** Who manages a subscription, and answers for what it gets. */
export interface Manager {
  workspaceId: string
  /** The user, `apiKey:<id>`, or `platform`. */
  id: string
  /** The same as the audit trail names them. */
  actor: string
  /** Super administrators; an owner's right is asked for when it matters, so that it ends with the membership. */
  seesAll: boolean
}

/** Who may change the workspace manages its subscriptions. */
export function managerOf(principal: Principal, { workspace, role, by }: Admission): Manager {
  const seesAll = by === 'power' && role !== 'owner'
  return { workspaceId: workspace.id, id: idOf(principal), actor: actorOf(principal), seesAll }
}

/** Who sees subscriptions and their deliveries. */
interface SubscriptionReader {
  workspaceId: string
  /** Also deliveries of events for owners. */
  seesAll: boolean
}

/** Who may read the workspace sees its subscriptions and deliveries, as far as the events are not for owners. */
export const readerOf = (admission: Admission): SubscriptionReader => ({
  workspaceId: admission.workspace.id,
  seesAll: seesEverything(admission),
})

function idOf(principal: Principal): string {
  if (principal.kind === 'user') return principal.userId
  if (principal.kind === 'workspace') return `workspace:${principal.workspaceId}`
  return principal.kind === 'apiKey' ? `apiKey:${principal.apiKeyId}` : 'platform'
}

/** The subscription of a workspace that a path names, or 404. */
export const findSubscription = (
  subscriptions: Pick<SubscriptionStore, 'find'>,
  workspaceId: string,
  id: string,
): Promise<SubscriptionRecord> => required(id, () => subscriptions.find(workspaceId, id))

/** The same, locked until the transaction ends. */
export const lockSubscription = (
  subscriptions: Pick<SubscriptionStore, 'lock'>,
  workspaceId: string,
  id: string,
): Promise<SubscriptionRecord> => required(id, () => subscriptions.lock(workspaceId, id))

async function required(
  id: string,
  find: () => Promise<SubscriptionRecord | undefined>,
): Promise<SubscriptionRecord> {
  const found = isUuid(id) ? await find() : undefined
  if (found === undefined) throw subscriptionNotFound()
  return found
}
