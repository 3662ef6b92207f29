import type { Audit } from '@platform/audit'
import { readWhole } from '@platform/broker'
import { type Database, HolderWatch } from '@platform/database'
import type { Route } from '@platform/http'
import { type Clock, HOUR_MS } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import { type MasterKey, masterKeyRing } from '@platform/master-keys'
import { type Outbound, openOutbound } from '@platform/outbound'
import type { Outbox } from '@platform/outbox'
import type { Permissions } from '@platform/permissions'
import type { Log } from '@platform/search'
import { onOneInstance, type Part } from '@platform/service'
import pLimit from 'p-limit'
import { BRIEF_TYPES } from '../event-log/append-to-log.ts'
import { logCatchUp } from '../event-log/log-catch-up.ts'
import { createSubscription } from './create-subscription.ts'
import { deleteSubscription } from './delete-subscription.ts'
import { deliverEvent } from './deliver-event.ts'
import { deliveryPartitionStore } from './delivery-partition-store.ts'
import { deliveryStore } from './delivery-store.ts'
import { Dispatcher, HEARTBEAT_MS } from './dispatcher.ts'
import { fanOutEvents } from './fan-out-events.ts'
import type { SubscriptionNeeds } from './needs.ts'
import { patchSubscription } from './patch-subscription.ts'
import { pauseSubscription, resumeSubscription } from './pause-subscription.ts'
import { type QueueStore, queueStore, tryStore } from './queue-store.ts'
import { getSubscriptionDelivery, listSubscriptionDeliveries } from './read-deliveries.ts'
import { getSubscription, listSubscriptions } from './read-subscriptions.ts'
import { redeliverSubscriptionDelivery } from './redeliver-subscription-delivery.ts'
import { replayEvents } from './replay-events.ts'
import { replayStore } from './replay-store.ts'
import { replaySubscription } from './replay-subscription.ts'
import { hastenRetries, pauseFailing } from './retry-policy.ts'
import { rotateSubscriptionSecret } from './rotate-subscription-secret.ts'
import { SEND_TIMEOUT_MS, sendWebhook, TEST_TIMEOUT_MS } from './send-webhook.ts'
import { subscriptionChangeStore } from './subscription-change-store.ts'
import { subscriptionStore, WEBHOOKS } from './subscription-store.ts'
import {
  forgetDeletedWorkspaces,
  keepDeliveryPartitions,
  resealSubscriptions,
} from './subscription-upkeep.ts'
import { testSubscription } from './test-subscription.ts'
import { type WebhookMetrics, webhookMetrics } from './webhook-metrics.ts'
import type { WebhookSettings } from './webhooks-env.ts'

interface Needs {
  database: Database
  outbox: Outbox
  permissions: Permissions
  audit: Audit
  /** What is replayed. */
  eventLog: Pick<Log, 'find'>
  masterKeys: readonly MasterKey[]
  settings: WebhookSettings
  /** After the deletion of a workspace its subscriptions stay as long as its events. */
  scheduledDeletionDays: number
  clock: Clock
  log: Logger
}

/** What a developer's own machine is called; `localhost` is resolved like any name. */
const LOOPBACK = ['127.0.0.0/8', '::1']
/** Connections to one host, which may serve many subscriptions. */
const CONNECTIONS_PER_ORIGIN = 64

/** Webhook subscriptions, and what sends their deliveries. Throws an Error for allowed hosts that are none. */
export function subscriptionsPart(needs: Needs): Part {
  const { database, outbox, permissions, clock, settings } = needs
  const outbound = openOutbound({
    allowed: [...settings.allowedHosts, ...(settings.allowsLoopback ? LOOPBACK : [])],
    allowedBy: 'WEBHOOKS_ALLOWED_HOSTS',
    proxies: settings.proxies,
    timeoutMs: SEND_TIMEOUT_MS,
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
  })
  const queues = queueStore(database)
  const subscriptions = subscriptionStore(database)
  const deliveries = deliveryStore(database)
  const changes = subscriptionChangeStore(database, outbox)
  const masterKeys = masterKeyRing(needs.masterKeys)
  const metrics = webhookMetrics({ queues, subscriptions, clock })
  return {
    routes: routesOf({
      changes,
      subscriptions,
      deliveries,
      permissions,
      masterKeys,
      sendTest: sendWebhook({ outbound, clock, timeoutMs: TEST_TIMEOUT_MS }),
      audit: needs.audit,
      outbound,
      search: needs.eventLog,
      logCatchUp: logCatchUp(database),
      clock,
      maxPerWorkspace: settings.maxPerWorkspace,
    }),
    subscriptions: [
      onOneInstance(
        'webhooks',
        fanOutEvents({
          subscriptions,
          deliveries,
          permissions,
          readWhole: (events) => readWhole(database, events),
          clock,
        }),
        { briefTypes: BRIEF_TYPES },
      ),
    ],
    jobs: [
      ...dispatcherOf(needs, { queues, changes, masterKeys, outbound, counted: metrics.counted }).jobs,
      replayEvents({
        changes,
        replays: replayStore(database),
        subscriptions,
        search: needs.eventLog,
        permissions,
        clock,
      }),
      keepDeliveryPartitions({ partitions: deliveryPartitionStore(database), clock }),
      resealSubscriptions({ changes, masterKeys }),
      forgetDeletedWorkspaces({ subscriptions, clock, keptDays: needs.scheduledDeletionDays }),
    ],
    async closing() {
      metrics[Symbol.dispose]()
      await outbound[Symbol.asyncDispose]()
    },
  }
}

const routesOf = (needs: SubscriptionNeeds): Route[] => [
  listSubscriptions(needs),
  createSubscription(needs),
  getSubscription(needs),
  patchSubscription(needs),
  deleteSubscription(needs),
  testSubscription(needs),
  rotateSubscriptionSecret(needs),
  pauseSubscription(needs),
  resumeSubscription(needs),
  replaySubscription(needs),
  listSubscriptionDeliveries(needs),
  getSubscriptionDelivery(needs),
  redeliverSubscriptionDelivery(needs),
]

interface Sending extends Pick<SubscriptionNeeds, 'changes' | 'masterKeys'> {
  queues: QueueStore
  outbound: Outbound
  counted: WebhookMetrics['counted']
}

function dispatcherOf(
  { database, permissions, settings, clock, log }: Needs,
  { queues, changes, masterKeys, outbound, counted }: Sending,
): Dispatcher {
  const tries = tryStore(database)
  const holders = new HolderWatch(database, () => queues.listHolders(), HEARTBEAT_MS)
  return new Dispatcher({
    queues,
    deliver: deliverEvent({
      tries,
      send: sendWebhook({ outbound, clock, timeoutMs: SEND_TIMEOUT_MS }),
      pauseFailing: pauseFailing({ changes, clock, afterMs: settings.pauseAfterHours * HOUR_MS }),
      hasten: hastenRetries({ tries, clock, log }),
      permissions,
      atOnce: pLimit(settings.inFlight),
      masterKeys,
      clock,
      counted,
      log,
    }),
    presence: database.presence(),
    lookForHolders: () => holders.look(),
    listen: (onNews) =>
      database.listen(
        WEBHOOKS,
        (ids) => onNews(ids === '' ? [] : ids.split(',')),
        () => onNews([]),
      ),
    clock,
    log,
  })
}
