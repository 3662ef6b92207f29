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
    take(before, at) {
      const slice = slices.take(before, at)
      if (slice === undefined) workedMs += now() - since
      return slice
    },
    async next() {
      const slice = await slices.next()
      since = now()
      return slice
    },
    workedMs: () => workedMs + now() - since,
  }
}
