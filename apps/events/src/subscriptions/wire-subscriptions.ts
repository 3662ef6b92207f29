import type { Audit } from '@platform/audit'
import { type Database, HolderWatch } from '@platform/database'
import type { Route } from '@platform/http'
import { type Clock, HOUR_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { type MasterKey, masterKeyRing } from '@platform/master-keys'
import { type Outbound, openOutbound } from '@platform/outbound'
import type { Outbox } from '@platform/outbox'
import type { Permissions } from '@platform/permissions'
import type { Search } from '@platform/search'
import { type Job, onOneInstance, type Subscription } from '@platform/service'
import { createSubscription } from './create-subscription.ts'
import { deleteSubscription } from './delete-subscription.ts'
import { deliverEvent } from './deliver-event.ts'
import { deliveryPartitionStore } from './delivery-partition-store.ts'
import { deliveryStore } from './delivery-store.ts'
import { Dispatcher } from './dispatcher.ts'
import { fanOutEvents } from './fan-out-events.ts'
import { forgetDeletedWorkspaces } from './forget-deleted-workspaces.ts'
import { getSubscription } from './get-subscription.ts'
import { getSubscriptionDelivery } from './get-subscription-delivery.ts'
import { hastenRetries } from './hasten-retries.ts'
import { keepDeliveryPartitions } from './keep-delivery-partitions.ts'
import { listSubscriptionDeliveries } from './list-subscription-deliveries.ts'
import { listSubscriptions } from './list-subscriptions.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { patchSubscription } from './patch-subscription.ts'
import { pauseFailing } from './pause-failing.ts'
import { pauseSubscription } from './pause-subscription.ts'
import { Permits } from './permits.ts'
import { type QueueStore, queueStore } from './queue-store.ts'
import { redeliverSubscriptionDelivery } from './redeliver-subscription-delivery.ts'
import { replayEvents } from './replay-events.ts'
import { replayStore } from './replay-store.ts'
import { replaySubscription } from './replay-subscription.ts'
import { resealSubscriptions } from './reseal-subscriptions.ts'
import { resumeSubscription } from './resume-subscription.ts'
import { rotateSubscriptionSecret } from './rotate-subscription-secret.ts'
import { SEND_TIMEOUT_MS, sendWebhook, TEST_TIMEOUT_MS } from './send-webhook.ts'
import { subscriptionChangeStore } from './subscription-change-store.ts'
import { subscriptionStore } from './subscription-store.ts'
import { testSubscription } from './test-subscription.ts'
import { tryStore } from './try-store.ts'
import { showWebhookMetrics, type WebhookMetrics } from './webhook-metrics.ts'
import type { WebhookSettings } from './webhooks-env.ts'

interface Needs {
  database: Database
  outbox: Outbox
  permissions: Permissions
  audit: Audit
  /** The log: what is replayed. */
  search: Pick<Search, 'find'>
  clock: Clock
  log: Logger
  masterKeys: readonly MasterKey[]
  webhooks: WebhookSettings
  retention: { scheduledDeletionDays: number }
}

/** What a developer's own machine is called; `localhost` is resolved like any name. */
const LOOPBACK = ['127.0.0.0/8', '::1']
/** Connections to one host, which may serve many subscriptions. */
const CONNECTIONS_PER_ORIGIN = 64

/**
 * Webhook subscriptions and what sends them, for the composition root. Throws an Error for allowed hosts that are
 * none.
 */
export function wireSubscriptions(given: Needs): {
  routes: Route[]
  subscriptions: Subscription[]
  jobs: Job[]
  /** Ends what is still under way to subscribers; called when nothing sends any more. */
  closing: () => Promise<void>
} {
  const { database, outbox, permissions, audit, search, clock, webhooks: settings } = given
  const outbound = openOutbound({
    allowed: [...settings.allowedHosts, ...(settings.allowsLoopback ? LOOPBACK : [])],
    timeoutMs: SEND_TIMEOUT_MS,
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
  })
  const queues = queueStore(database)
  const deps: SubscriptionNeeds = {
    ...{ permissions, audit, search, clock, outbound },
    changes: subscriptionChangeStore(database, outbox),
    subscriptions: subscriptionStore(database),
    deliveries: deliveryStore(database),
    masterKeys: masterKeyRing(given.masterKeys),
    sendTest: sendWebhook({ outbound, clock, timeoutMs: TEST_TIMEOUT_MS }),
    maxPerWorkspace: settings.maxPerWorkspace,
  }
  const metrics = showWebhookMetrics({ queues, subscriptions: deps.subscriptions, clock })
  return {
    routes: routesOf(deps),
    subscriptions: [onOneInstance('webhooks', fanOutEvents(deps))],
    jobs: [
      ...dispatcherOf({ ...given, queues, outbound, counted: metrics.counted }, deps).jobs,
      replayEvents({ ...deps, replays: replayStore(database) }),
      keepDeliveryPartitions({ partitions: deliveryPartitionStore(database), clock }),
      resealSubscriptions(deps),
      forgetDeletedWorkspaces({ ...deps, keptDays: given.retention.scheduledDeletionDays }),
    ],
    async closing() {
      metrics[Symbol.dispose]()
      await outbound[Symbol.asyncDispose]()
    },
  }
}

const routesOf = (deps: SubscriptionNeeds): Route[] => [
  listSubscriptions(deps),
  createSubscription(deps),
  getSubscription(deps),
  patchSubscription(deps),
  deleteSubscription(deps),
  testSubscription(deps),
  rotateSubscriptionSecret(deps),
  pauseSubscription(deps),
  resumeSubscription(deps),
  replaySubscription(deps),
  listSubscriptionDeliveries(deps),
  getSubscriptionDelivery(deps),
  redeliverSubscriptionDelivery(deps),
]

type Dispatching = Needs & { queues: QueueStore; outbound: Outbound; counted: WebhookMetrics['counted'] }

function dispatcherOf(
  { database, queues, outbound, counted, clock, log, webhooks }: Dispatching,
  deps: SubscriptionNeeds,
): Dispatcher {
  const tries = tryStore(database)
  const deliver = deliverEvent({
    ...{ clock, log, counted, masterKeys: deps.masterKeys, permissions: deps.permissions },
    send: sendWebhook({ outbound, clock, timeoutMs: SEND_TIMEOUT_MS }),
    pauseFailing: pauseFailing({ ...deps, afterMs: webhooks.pauseAfterHours * HOUR_MS }),
    hasten: hastenRetries({ tries, clock, log }),
    tries,
    permits: new Permits(webhooks.inFlight),
  })
  const holders = new HolderWatch(database, () => queues.listHolders())
  return new Dispatcher({
    ...{ queues, deliver, clock, log, presence: database.presence() },
    lookForHolders: () => holders.look(),
    listen: (onNews) =>
      database.listen(
        'webhooks',
        (ids) => onNews(ids === '' ? [] : ids.split(',')),
        () => onNews([]),
      ),
  })
}
