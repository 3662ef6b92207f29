import type { Job } from '@platform/service'
import { OpenStreams } from '../forwarding/open-streams.ts'
import type { Step } from '../pipeline.ts'
import { isStillAllowed } from './still-allowed.ts'

/** An ending is heard by every instance within half a second; with this the stream is ended within one (reliability G4). */
const RECHECK_MS = 400

/** Ends event streams whose session, token or key has ended meanwhile. */
export const checkStreams = (streams: OpenStreams, identify: Step): Job => ({
  name: 'check-event-streams',
  everyMs: RECHECK_MS,
  run: async () => {
    const checked = streams.entries().map(async (exchange) => {
      if (!(await isStillAllowed(exchange, identify))) OpenStreams.end(exchange)
    })
    await Promise.all(checked)
  },
})
