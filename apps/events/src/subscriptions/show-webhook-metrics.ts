import type { TryOutcome } from '@platform/contracts'
import { exposeReadings } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { QueueStore } from './queue-store.ts'
import type { SubscriptionStore } from './subscription-store.ts'

interface Needs {
  queues: Pick<QueueStore, 'waiting'>
  subscriptions: Pick<SubscriptionStore, 'countPaused'>
  clock: Clock
}

/** Numbers of the metrics page, read from the database when somebody asks. Answers what counts a try. */
export function showWebhookMetrics({ queues, subscriptions, clock }: Needs): (outcome: TryOutcome) => void {
  const tries = new Map<TryOutcome, number>()
  const gauge = (name: `platform_${string}`, help: string, read: () => Promise<number>) =>
    exposeReadings({ name, help, type: 'gauge' }, async () => [{ labels: {}, value: await read() }])
  const waiting = () => queues.waiting(clock.now())
  gauge(
    'platform_webhooks_pending',
    'Deliveries that wait, at most 100,000 are counted.',
    async () => (await waiting()).pending,
  )
  gauge(
    'platform_webhooks_oldest_due_seconds',
    'How late the delivery is that should have been sent first.',
    async () => (await waiting()).oldestDueSeconds,
  )
  gauge('platform_webhooks_paused', 'Subscriptions that are paused.', () => subscriptions.countPaused())
  exposeReadings(
    { name: 'platform_webhook_tries_total', help: 'Tries of webhooks by how they ended.', type: 'counter' },
    () => [...tries].map(([outcome, value]) => ({ labels: { outcome }, value })),
  )
  return (outcome) => tries.set(outcome, (tries.get(outcome) ?? 0) + 1)
}
