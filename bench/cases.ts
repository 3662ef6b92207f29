import { emit } from './emit.ts'
import { events } from './events.ts'
import { forwarding } from './forwarding.ts'
import { gateway } from './gateway.ts'
import { identity } from './identity.ts'
import type { Figure } from './measure/figure.ts'
import { runs } from './runs.ts'
import { start } from './start.ts'

/** `npm run bench -- <name>` runs one of these, `npm run bench` all. */
export const cases: Record<string, () => Promise<Figure[]>> = {
  forwarding,
  gateway,
  run: runs,
  emit,
  events,
  start,
  identity,
}
