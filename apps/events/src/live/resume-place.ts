import { setTimeout as pause } from 'node:timers/promises'
import { uuidv7Ms } from '@platform/kernel'
import type { LiveLog } from './live-log.ts'

/** An event is in the log soon after it was accepted; one that is named before is waited for so long. */
const FRESH_MS = 1000
const LOOK_MS = 50

/** The sequence behind which a stream goes on that had come to an event. Rejects when the log is away. */
export async function resumePlace(log: LiveLog, stream: string, id: string): Promise<number> {
  for (;;) {
    const ageMs = Date.now() - uuidv7Ms(id)
    const isKnown = (await log.sequencesOf([id])).has(id)
    if (isKnown || ageMs < 0 || ageMs > FRESH_MS) return log.placeOf(stream, id)
    await pause(LOOK_MS)
  }
}
