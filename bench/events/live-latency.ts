import { emitter } from './emitter.ts'
import { EvenLoad, type Pace } from './even-load.ts'
import { follow } from './follow.ts'

/** Where events are emitted and followed. */
interface Place {
  readonly origin: string
  readonly workspaceId: string
  readonly authorization: string
}

/**
 * Emits events at an even pace: from the beginning of the call that emits one until a live reader sees an event of the
 * type `seen` with its number.
 */
export async function liveLatency(
  place: Place,
  seen: string,
  pace?: Pace,
): Promise<{ p50Ms: number; p99Ms: number }> {
  const load = new EvenLoad(pace)
  using _follower = await follow(place, (data) => {
    const { type, payload } = JSON.parse(data) as { type: string; payload: { n: number } }
    if (type === seen) load.heard(payload.n)
  })
  return await load.run(emitter(place.origin, place))
}
