import type { Audit } from '@platform/audit'
import type { Clock } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Outbound } from '@platform/outbound'
import type { Permissions } from '@platform/permissions'
import type { Search } from '@platform/search'
import type { LogCatchUp } from '../event-log/log-catch-up.ts'
import type { DeliveryStore } from './delivery-store.ts'
import type { sendWebhook } from './send-webhook.ts'
import type { SubscriptionChangeStore } from './subscription-change-store.ts'
import type { SubscriptionStore } from './subscription-store.ts'

/** What the operations on subscriptions take from. */
export interface SubscriptionNeeds {
  changes: SubscriptionChangeStore
  subscriptions: SubscriptionStore
  deliveries: DeliveryStore
  permissions: Permissions
  masterKeys: MasterKeyRing
  /** Sends a test, for which a caller waits: it gives up sooner than a delivery. */
  sendTest: ReturnType<typeof sendWebhook>
  audit: Pick<Audit, 'note'>
  outbound: Pick<Outbound, 'expectedRefusal'>
  /** The log. */
  search: Pick<Search, 'find'>
  logCatchUp: LogCatchUp
  clock: Clock
  /** Subscriptions a workspace may have. */
  maxPerWorkspace: number
}
