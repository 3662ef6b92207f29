import type { ConsumeOptions } from '@platform/broker'
import type { Env } from '@platform/config'
import { readConfig } from '@platform/config'
import type { EventContract, EventRecord } from '@platform/contracts'
import type { Logger } from '@platform/logging'
import { type AnnouncedEvent, onAnnouncedEvent } from '@platform/outbox'
import { z } from 'zod'
import type { Resources } from './resources.ts'

/** What a service listens to; two named deliveries (ADR 0009). */
export type Subscription =
  | { delivery: 'every-instance'; type: string; handle: (event: AnnouncedEvent) => void; onGap?: () => void }
  | {
      delivery: 'one-instance'
      group: string
      handle: (events: EventRecord[]) => Promise<void>
      options: SubscriptionOptions
    }

type SubscriptionOptions = Pick<ConsumeOptions, 'maxBatch' | 'briefTypes'>

/** Hears an event on every instance. */
export const onEveryInstance = (
  contract: EventContract,
  handle: (event: AnnouncedEvent) => void,
  onGap?: () => void,
): Subscription => ({
  delivery: 'every-instance',
  type: contract.type,
  handle,
  ...(onGap === undefined ? {} : { onGap }),
})

/**
 * Consumes all committed events as one of the instances of `group`, `maxBatch` at a time where that is worth more
 * than the usual; those of `briefTypes` may come as a `BriefRecord`.
 */
export const onOneInstance = (
  group: string,
  handle: (events: EventRecord[]) => Promise<void>,
  options: SubscriptionOptions = {},
): Subscription => ({ delivery: 'one-instance', group, handle, options })

/** Where every service finds its transport; the same variables in all of them. */
const transportEnv = z.object({ DATABASE_URL: z.string(), BROKER_URL: z.string().default('postgres:') })

/** Opens a subscription on the broker of the service. */
export async function subscribe(
  subscription: Subscription,
  env: Env,
  resources: Resources,
  log: Logger,
): Promise<AsyncDisposable> {
  const { DATABASE_URL, BROKER_URL } = readConfig(transportEnv, env)
  const broker = await resources.broker(BROKER_URL, DATABASE_URL)
  if (subscription.delivery === 'one-instance') {
    const { group, handle: handleAll, options } = subscription
    return broker.queue.consume(group, handleAll, options)
  }
  const { type, handle, onGap } = subscription
  return onAnnouncedEvent(broker, type, (announced) => void handleSafely(handle, announced, log), onGap)
}

/** A mistake of a handler is logged, also when it comes later: a rejection that is not caught ends the process. */
async function handleSafely(
  handle: (event: AnnouncedEvent) => void | Promise<void>,
  announced: AnnouncedEvent,
  log: Logger,
): Promise<void> {
  try {
    await handle(announced)
  } catch (error) {
    log.error({ err: error, type: announced.type }, 'handling an announcement failed')
  }
}
