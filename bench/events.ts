import { readers } from './events/readers.ts'
import { received } from './events/received.ts'
import { relay } from './events/relay.ts'
import { seenLive } from './events/seen-live.ts'
import type { Figure } from './measure/figure.ts'

/** How events get from where they are committed to where they are seen. */
export async function events(): Promise<Figure[]> {
  return [...(await relay()), ...(await seenLive()), ...(await received()), ...(await readers())]
}
