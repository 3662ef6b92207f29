import { SECOND_MS } from '@platform/kernel'
import type { Job } from '@platform/service'
import { type ChangeDeps, changeSigningKeys } from './change-signing-keys.ts'
import { generateSigningKey, isIdle, planRotation } from './signing-key.ts'

/**
 * A key deleted by hand stops verifying within 30 s: this pause, its jitter and a slow query stay
 * under it, also where a service asks this gateway as often as the gateway asks the database.
 */
export const LOOK_MS = 10 * SECOND_MS

/**
 * Loads the keys, since announcements may be lost and keys deleted by hand; makes the next one ahead of time, lets it
 * sign when due, drops keys nothing valid depends on. Any instance may run it.
 */
export const rotateSigningKeys = (deps: ChangeDeps): Job => ({
  name: 'rotate-signing-keys',
  everyMs: LOOK_MS,
  requiredAtStart: true,
  run: () => rotate(deps),
})

/** One look at the keys, and what has to be done. */
export async function rotate(deps: ChangeDeps): Promise<void> {
  try {
    const plan = planRotation(await deps.signingKeys.list(), deps.clock.now(), deps.policy)
    if (isIdle(plan)) return
    const fresh = plan.publish ? await generateSigningKey(deps.policy) : undefined
    await changeSigningKeys(deps, { by: { actor: 'platform' } }, fresh)
  } finally {
    // Whatever came of it: what was deleted must be forgotten, and another instance may have been faster.
    await deps.keyRing.reload()
  }
}
