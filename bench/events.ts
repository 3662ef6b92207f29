import { emit } from './emit.ts'
import { million } from './events/million.ts'
import { readers } from './events/readers.ts'
import { received } from './events/received.ts'
import { relay } from './events/relay.ts'
import { seenLive } from './events/seen-live.ts'
import type { Figure } from './measure/figure.ts'

/** How fast events are committed, how they get from there to where they are seen, and how they are found among a million. */
export async function events(): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const part of [emit, relay, seenLive, received, readers, million]) figures.push(...(await part()))
  return figures
}
