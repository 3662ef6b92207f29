import { testSubscription as endpoint, WEBHOOK_TEST_TYPE } from '@platform/contracts'
import { route } from '@platform/http'
import { uuidv7 } from '@platform/kernel'
import { buildRecord } from '@platform/outbox'
import { bodyOf } from './delivery-store.ts'
import type { SubscriptionNeeds } from './needs.ts'
import type { TryRecord } from './queue-store.ts'
import { SEND_TIMEOUT_MS, targetOf } from './send-webhook.ts'
import { findSubscription, managerOf } from './subscription-access.ts'

type Needs = Pick<SubscriptionNeeds, 'subscriptions' | 'masterKeys' | 'sendTest' | 'audit' | 'clock'>

/** An endpoint that is slow may be quick enough for deliveries. */
const testErrorOf = ({ outcome, error }: TryRecord): string | null =>
  outcome === 'timeout' ? `${error} A delivery waits for ${SEND_TIMEOUT_MS / 1000} s.` : error

export const testSubscription = (deps: Needs) =>
  route(endpoint, {
    async handle({ params, principal, admitted, request }) {
      const { workspaceId, actor } = managerOf(principal, admitted)
      await request.takeLimit('webhookTest', workspaceId)
      const subscription = await findSubscription(deps.subscriptions, workspaceId, params.subscriptionId)

      const now = deps.clock.now()
      const event = buildRecord({
        type: WEBHOOK_TEST_TYPE,
        payload: { subscriptionId: subscription.id },
        source: { workspaceId, correlationId: request.correlationId, host: { service: 'events' } },
        createdAt: now.toISOString(),
      })
      // Remembered first: who makes the platform call an address leaves a trace, whatever becomes of the call.
      const { host } = new URL(subscription.url)
      await deps.audit.note({
        action: 'subscription.tested',
        subject: `subscription:${subscription.id}`,
        actor,
        ip: request.clientIp,
        correlationId: request.correlationId,
        details: { workspaceId, host },
      })
      const message = { id: uuidv7(), body: bodyOf(event, JSON.stringify(event)) }
      const { log } = await deps.sendTest(
        targetOf(subscription, deps.masterKeys, now),
        message,
        request.signal,
      )

      const { id: _, ...shown } = log
      return { ...shown, error: testErrorOf(log), id: message.id, at: now.toISOString() }
    },
  })
