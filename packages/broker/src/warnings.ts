import type { Queries } from '@platform/database'
import { countDeadLetters } from './dead-letters.ts'
import { readLags } from './lag.ts'

/** A group may be this far behind before anybody is told. */
const LAG_MS = 60_000

/**
 * What an operator should look at: groups that are more than a minute behind, and events that were given up. Both are
 * no reason to take a service out of rotation.
 */
export async function deliveryWarnings(queries: Queries): Promise<string[]> {
  const [lags, letters] = [await readLags(queries), await countDeadLetters(queries)]
  return [
    ...lags
      .filter(({ ageMs }) => ageMs > LAG_MS)
      .map(
        ({ group, ageMs }) => `"${group}" has events to handle that are ${Math.round(ageMs / 1000)} s old.`,
      ),
    ...letters.map(
      ({ group, letters: count }) =>
        `${count} event${count === 1 ? ' was' : 's were'} given up by "${group}": look at the dead letters.`,
    ),
  ]
}
