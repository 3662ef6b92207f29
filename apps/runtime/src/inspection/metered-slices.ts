import type { EngineParts } from '../automations/engine.ts'

type Slices = EngineParts['slices']

/** The slices of one run, and how long it has worked in them. */
export interface MeteredSlices extends Slices {
  workedMs(): number
}

export function meteredSlices(slices: Slices, now: () => number = () => performance.now()): MeteredSlices {
  let workedMs = 0
  let since = now()
  return {
    take(share, at) {
      const goesOn = slices.take(share, at)
      if (!goesOn) workedMs += now() - since
      return goesOn
    },
    async next(share) {
      await slices.next(share)
      since = now()
    },
    workedMs: () => workedMs + now() - since,
  }
}
