import { setTimeout as sleep } from 'node:timers/promises'
import { slownessNow } from './slowness.ts'

const betweenProbesMs = 10
const quietMs = 500

/** What an attack test says: who is asked meanwhile, what is done, and how much longer an answer may take. */
export interface Attack {
  /** Asks something cheap without a credential, for example `GET /` of the attacked process. */
  probe: () => Promise<unknown>
  /** Does the harm from beginning to end; what it answers or throws is the test's own business. */
  attack: () => Promise<unknown>
  /**
   * How much longer than in quiet times the longest answer may take, on a machine that is as fast as usual; 250 ms
   * unless told.
   */
  atMostMs?: number
  /** How often it is tried before it fails: other work of the machine looks like an attack. 3 unless told. */
  tries?: number
}

/**
 * The longest wait for a probe while something is done, counted from when the probe was due: a held loop shows fully.
 */
export async function longestWait(
  probe: () => Promise<unknown>,
  meanwhile: () => Promise<unknown>,
): Promise<number> {
  let done = false
  let longest = 0
  const work = meanwhile().finally(() => {
    done = true
  })
  // The work may fail while a probe is waited for; its failure is the caller's, below.
  work.catch(() => undefined)
  do {
    const due = performance.now() + betweenProbesMs
    await sleep(betweenProbesMs)
    await probe()
    longest = Math.max(longest, performance.now() - due)
  } while (!done)
  await work
  return longest
}

/** Fails when others wait much longer during the attack than in quiet times before it; answers what was measured. */
export async function expectOthersServed(options: Attack): Promise<{ quiet: number; attacked: number }> {
  const { probe, attack, atMostMs = 250, tries = 3 } = options
  await probe()
  for (let attempt = 1; ; attempt++) {
    const quiet = await longestWait(probe, () => sleep(quietMs))
    const attacked = await longestWait(probe, attack)
    if (attacked <= quiet + atMostMs) return { quiet, attacked }
    const allowed = atMostMs * slownessNow()
    if (attacked <= quiet + allowed) return { quiet, attacked }
    if (attempt >= tries) {
      const waits = `${Math.round(attacked)} ms during the attack and ${Math.round(quiet)} ms without it`
      throw new Error(`Others waited up to ${waits}; at most ${Math.round(allowed)} ms more are allowed.`)
    }
  }
}
