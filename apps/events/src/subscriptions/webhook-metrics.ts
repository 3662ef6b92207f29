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

/** What counts tries. */
export interface WebhookMetrics extends Disposable {
  counted: (outcome: TryOutcome) => void
}

/** Numbers of the metrics page, read from the database when the page is asked for; gone when disposed. */
export function webhookMetrics({ queues, subscriptions, clock }: Needs): WebhookMetrics {
  const tries = new Map<TryOutcome, number>()
  const stack = new DisposableStack()
  const gauge = (name: `platform_${string}`, help: string, read: () => Promise<number>) =>
    stack.use(
      exposeReadings({ name, help, type: 'gauge' }, async () => [{ labels: {}, value: await read() }]),
    )
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
  const ofTries = { help: 'Tries of webhooks by how they ended.', type: 'counter' } as const
  stack.use(
    exposeReadings({ name: 'platform_webhook_tries_total', ...ofTries }, () =>
      [...tries].map(([outcome, value]) => ({ labels: { outcome }, value })),
    ),
  )
  return {
    counted: (outcome) => tries.set(outcome, (tries.get(outcome) ?? 0) + 1),
    [Symbol.dispose]: () => stack.dispose(),
  }
}
