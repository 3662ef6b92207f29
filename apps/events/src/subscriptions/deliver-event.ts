import type { EventRecord } from '@platform/contracts'
import { type Clock, StoreError, uuidv7 } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Permissions } from '@platform/permissions'
import type { LimitFunction } from 'p-limit'
import { withheldBecause } from '../event-log/event-visibility.ts'
import { bodyOf } from './delivery-store.ts'
import type {
  Batch,
  LeasedQueue,
  StoredTry,
  TriedDelivery,
  TryStore,
  WaitingDelivery,
} from './queue-store.ts'
import { type HastenRetries, nextTry, type PauseSubscription } from './retry-policy.ts'
import { type sendWebhook, type Tried, targetOf } from './send-webhook.ts'
import type { WorkerNeeds } from './subscription-worker.ts'

interface Needs {
  tries: Pick<TryStore, 'record'>
  send: ReturnType<typeof sendWebhook>
  pauseFailing: PauseSubscription
  hasten: HastenRetries
  permissions: Pick<Permissions, 'roleOf'>
  /** Lets so many requests of this process be under way. */
  atOnce: LimitFunction
  masterKeys: MasterKeyRing
  clock: Clock
  /** Counts how tries ended. */
  counted: (outcome: Tried['log']['outcome']) => void
  log: Logger
}

const RECORD_TRIES = 10
const RECORD_PAUSE_MS = 1000

/**
 * Sends a delivery once and records how it went: it arrived, is tried again, or is given up. What may not go there
 * any more is not sent.
 */
export const deliverEvent =
  (deps: Needs): WorkerNeeds['deliver'] =>
  async (queue, batch, waiting, signal, sent) => {
    const { deliveryId } = waiting
    const tried = await deps.atOnce(() => sentOnce(deps, batch, waiting, signal)).finally(sent)
    deps.counted(tried.log.outcome)

    const stored = await recorded(deps, queue, endOf(tried, waiting, deps.clock.now()), signal)
    if (stored === undefined) return false
    if (stored.failingSince !== null) await deps.hasten(queue, stored.failingSince)
    if (tried.log.outcome === 'delivered' || !tried.isSent) return true
    // Neither the address nor anything sent gets into the log: both may be secret.
    const { outcome, status } = tried.log
    deps.log.info(
      { deliveryId, subscriptionId: queue.subscriptionId, outcome, status },
      'a webhook did not arrive',
    )
    await deps.pauseFailing(batch.subscription, tried.log.status === 410)
    return false
  }

type Ended = Tried & Pick<TriedDelivery, 'isSent'>

async function sentOnce(
  { send, masterKeys, clock, permissions }: Needs,
  { subscription }: Batch,
  { deliveryId, event: text }: WaitingDelivery,
  signal: AbortSignal,
): Promise<Ended> {
  signal.throwIfAborted()
  const event = JSON.parse(text) as EventRecord
  // The address may have been changed since by a member who may not see the event.
  const reason = await withheldBecause(permissions, subscription, event)
  if (reason !== undefined) return withheld(reason, clock.now())
  const target = targetOf(subscription, masterKeys, clock.now())
  const body = bodyOf(event, text)
  return { ...(await send(target, { id: deliveryId, body }, signal)), isSent: true }
}

/** Its log shows nothing of the event. */
const withheld = (error: string, now: Date): Ended => ({
  log: {
    id: uuidv7(now.getTime()),
    outcome: 'blocked',
    error,
    durationMs: 0,
    status: null,
    request: '',
    response: null,
  },
  retryAfterMs: undefined,
  isSent: false,
})

function endOf({ log, retryAfterMs, isSent }: Ended, waiting: WaitingDelivery, now: Date): TriedDelivery {
  const { deliveryId, tries, begunAt } = waiting
  const notBefore = retryAfterMs === undefined ? null : new Date(now.getTime() + retryAfterMs)
  const known = { deliveryId, tries, at: now, log, isSent, notBefore }
  if (log.outcome === 'delivered') return { ...known, status: 'delivered', dueAt: now }
  if (!isSent) return { ...known, status: 'dead', dueAt: now }
  const dueAt = nextTry({ tries: tries + 1, begunAt, now, retryAfterMs, random: Math.random() })
  return dueAt === undefined
    ? { ...known, status: 'dead', dueAt: now }
    : { ...known, status: 'pending', dueAt }
}

/** A store that is away for a moment is waited for: what was sent would else be sent again. */
async function recorded(
  { tries: store }: Needs,
  queue: LeasedQueue,
  tried: TriedDelivery,
  signal: AbortSignal,
): Promise<StoredTry | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await store.record(queue, tried)
    } catch (error) {
      const isAway = error instanceof StoreError && error.unavailable
      if (!isAway || tries === RECORD_TRIES || signal.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, RECORD_PAUSE_MS))
    }
  }
}
