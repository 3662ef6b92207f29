import { gatewayJwksUpdated } from '@platform/contracts'
import type { Logger } from '@platform/logging'
import { type Job, onEveryInstance, type Subscription } from '@platform/service'
import type { KeyRing } from './key-ring.ts'

/** A key deleted by hand stops verifying within 30 s (decisions C7): poll, jitter and a slow query stay under it. */
const POLL_MS = 15_000

/** Loads the keys again now and then: announcements may be lost, and a key may be deleted by hand. */
export const pollSigningKeys = (deps: { keyRing: KeyRing }): Job => ({
  name: 'poll-signing-keys',
  everyMs: POLL_MS,
  run: () => deps.keyRing.reload(),
})

/** Loads the keys again when an instance has changed them. */
export const reloadOnJwksUpdated = (deps: { keyRing: KeyRing; log: Logger }): Subscription => {
  const reload = () => {
    deps.keyRing
      .reload()
      .catch((error: unknown) => deps.log.warn({ err: error }, 'signing keys could not be reloaded'))
  }
  return onEveryInstance(gatewayJwksUpdated, reload, reload)
}
