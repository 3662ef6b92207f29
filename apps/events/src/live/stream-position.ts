import { setTimeout as pause } from 'node:timers/promises'
import { uuidv7Ms } from '@platform/kernel'
import type { LiveLog } from './tail.ts'

/** An event is in the log soon after it was accepted; one that is named before is waited for so long. */
const FRESH_MS = 1000
const LOOK_MS = 50

/** Older than every event: behind it a stream goes on whose workspace had none. */
const BEFORE_ALL = '00000000-0000-7000-8000-000000000000'

/** The sequence behind which a stream begins, and the id that stands for it. */
export interface StreamPosition {
  id: string
  from: number
}

/**
 * The end of the log. It is named by an event of the log: no clock of this process is asked. Rejects when the log is
 * away.
 */
export async function endPosition(log: LiveLog, stream: string): Promise<StreamPosition> {
  const { sequence, newestId } = await log.endOf(stream)
  return { id: newestId ?? BEFORE_ALL, from: sequence }
}

/** Where a stream goes on that had come to an event. Rejects when the log is away. */
export async function resumePosition(log: LiveLog, stream: string, id: string): Promise<StreamPosition> {
  for (;;) {
    const ageMs = Date.now() - uuidv7Ms(id)
    const isKnown = (await log.sequencesOf([id])).has(id)
    if (isKnown || ageMs < 0 || ageMs > FRESH_MS) return { id, from: await log.placeOf(stream, id) }
    await pause(LOOK_MS)
  }
}
