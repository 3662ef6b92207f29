import type { EventRecord } from '@platform/contracts'
import { type Clock, StoreError, uuidv7 } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { MasterKeyRing } from '@platform/master-keys'
import type { Permissions } from '@platform/permissions'
import { bodyOf } from './delivery.ts'
import type { HastenRetries } from './hasten-retries.ts'
import { withheldBecause } from './may-get.ts'
import type { PauseSubscription } from './pause-failing.ts'
import type { Permits } from './permits.ts'
import type { HeldQueue, TriedDelivery, Turn, WaitingDelivery } from './queue-store.ts'
import { nextTry } from './retry-policy.ts'
import { type sendWebhook, type Tried, targetOf } from './send-webhook.ts'
import type { LaneNeeds } from './subscription-worker.ts'
import type { KeptTry, TryStore } from './try-store.ts'

interface Needs {
  tries: Pick<TryStore, 'record'>
  send: ReturnType<typeof sendWebhook>
  pauseFailing: PauseSubscription
  hasten: HastenRetries
  permissions: Pick<Permissions, 'roleOf'>
  /** Requests of this process that may be under way. */
  permits: Permits
  masterKeys: MasterKeyRing
  clock: Clock
  counted: (outcome: Tried['log']['outcome']) => void
  log: Logger
}

const RECORD_TRIES = 10
const RECORD_PAUSE_MS = 1000

/**
 * Sends a delivery once and keeps how it went: it arrived, is tried again, or is given up. What may not go there any
 * more is not sent.
 */
export const deliverEvent =
  (deps: Needs): LaneNeeds['deliver'] =>
  async (held, turn, waiting, signal, sent) => {
    const { deliveryId } = waiting
    const tried = await deps.permits.with(() => sentOnce(deps, turn, waiting, signal)).finally(sent)
    deps.counted(tried.log.outcome)

    const kept = await recorded(deps, held, endOf(tried, waiting, deps.clock.now()), signal)
    if (kept === undefined) return false
    if (kept.failingSince !== null) await deps.hasten(held, kept.failingSince)
    if (tried.log.outcome === 'delivered' || !tried.isSent) return true
    // Neither the address nor anything sent gets into the log: both may hold secrets.
    const { outcome, status } = tried.log
    deps.log.info(
      { deliveryId, subscriptionId: held.subscriptionId, outcome, status },
      'a webhook did not arrive',
    )
    await deps.pauseFailing(turn.subscription, tried.log.status === 410)
    return false
  }

type Ended = Tried & Pick<TriedDelivery, 'isSent'>

async function sentOnce(
  { send, masterKeys, clock, permissions }: Needs,
  { subscription }: Turn,
  { deliveryId, event: text }: WaitingDelivery,
  signal: AbortSignal,
): Promise<Ended> {
  signal.throwIfAborted()
  const event = JSON.parse(text) as EventRecord
  // The address may have been changed since by somebody for whom the event is not.
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
  held: HeldQueue,
  tried: TriedDelivery,
  signal: AbortSignal,
): Promise<KeptTry | undefined> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await store.record(held, tried)
    } catch (error) {
      const isAway = error instanceof StoreError && error.unavailable
      if (!isAway || tries === RECORD_TRIES || signal.aborted) throw error
      await new Promise((resolve) => setTimeout(resolve, RECORD_PAUSE_MS))
    }
  }
}
