import type { Env } from '@platform/config'
import { readConfig } from '@platform/config'
import type { Logger } from '@platform/logging'
import { onAnnouncedEvent } from '@platform/outbox'
import { z } from 'zod'
import type { Resources } from './resources.ts'
import type { AnnouncedEvent, Subscription } from './service.ts'

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
    const { group, handle: handleAll, maxBatch } = subscription
    return broker.queue.consume(group, handleAll, maxBatch === undefined ? {} : { maxBatch })
  }
  const { type, handle, onGap } = subscription
  return onAnnouncedEvent(broker, type, (announced) => void hear(handle, announced, log), onGap)
}

/** A listener's mistake is logged, also when it comes later: unheard it would end the process. */
async function hear(
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
