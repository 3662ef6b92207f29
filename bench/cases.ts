import { emit } from './emit.ts'
import { million } from './events/million.ts'
import { events } from './events.ts'
import { forwarding } from './forwarding.ts'
import { gateway } from './gateway.ts'
import { identity } from './identity.ts'
import type { Figure } from './measure/figure.ts'
import { runs } from './runs.ts'
import { start } from './start.ts'

/** `npm run bench` runs all of these, `npm run bench -- <name>` one. */
export const cases: Record<string, () => Promise<Figure[]>> = {
  forwarding,
  gateway,
  run: runs,
  events,
  start,
  identity,
}

/** Parts of others, to be run alone. */
export const parts: Record<string, () => Promise<Figure[]>> = { emit, million }
