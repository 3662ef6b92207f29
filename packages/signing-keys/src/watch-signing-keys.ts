import type { SigningKeysUpdated } from '@platform/contracts'
import type { Logger } from '@platform/logging'
import { onEveryInstance, type Subscription } from '@platform/service'
import type { ChangeDeps } from './change-signing-keys.ts'
import type { KeyRing } from './key-ring.ts'
import { rotate } from './rotate-signing-keys.ts'

/** Loads the keys again when an instance says that it has changed them. */
export const reloadOn = (
  event: SigningKeysUpdated,
  deps: { keyRing: Pick<KeyRing, 'reload'>; log: Pick<Logger, 'warn'> },
): Subscription => {
  const reload = () => {
    deps.keyRing
      .reload()
      .catch((error: unknown) => deps.log.warn({ err: error }, 'signing keys could not be reloaded'))
  }
  return onEveryInstance(event, reload, reload)
}

/**
 * Where the signing key was deleted by hand another one signs at once: nobody is told that signing in is out of
 * order.
 */
export const replaceDeletedSigner = (deps: ChangeDeps & { log: Pick<Logger, 'warn'> }): void => {
  deps.keyRing.onChange(() => {
    if (deps.keyRing.canSign) return
    rotate(deps).catch((error: unknown) =>
      deps.log.warn({ err: error }, 'no key signs, it will be tried again'),
    )
  })
}
