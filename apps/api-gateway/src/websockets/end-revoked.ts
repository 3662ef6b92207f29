import { setTimeout as pause } from 'node:timers/promises'
import type { ByCredential } from '../forwarding/by-credential.ts'
import type { Step } from '../pipeline.ts'
import { isStillAllowed } from './still-allowed.ts'

/**
 * Pauses between two rounds. An ending is heard by every instance within half a second; with this and the round what
 * it opened is ended within one (reliability G4).
 */
export const ROUND_PAUSE_MS = 100
/** A round takes at least the slices together, so that no turn of the event loop asks about everything. */
const SLICES = 15
const SLICE_MS = 20
/** Questions at once: each may need the database. */
const AT_ONCE = 20

/**
 * Ends what was opened with a session, a token or a key that has ended meanwhile: one round of questions, one for
 * each credential.
 */
export async function endRevoked<T>(
  open: ByCredential<T>,
  identify: Step,
  end: (one: T) => void,
  signal: AbortSignal,
): Promise<void> {
  const groups = open.groups()
  if (groups.length === 0) return
  const check = async (group: (typeof groups)[number]) => {
    const [opened] = group.values()
    if (opened === undefined || (await isStillAllowed(opened, identify))) return
    for (const one of [...group.keys()]) end(one)
  }
  for (let slice = 0; slice < SLICES && !signal.aborted; slice += 1) {
    const [from, to] = [slice, slice + 1].map((part) => Math.ceil((groups.length * part) / SLICES))
    const waiting = groups.slice(from, to).values()
    const worker = async () => {
      for (const group of waiting) await check(group)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    await pause(SLICE_MS, undefined, { signal, ref: false }).catch(() => undefined)
  }
}
