import type { Job } from '@platform/service'
import { OpenStreams } from '../forwarding/open-streams.ts'
import type { Step } from '../pipeline.ts'
import { endRevoked, ROUND_PAUSE_MS } from './end-revoked.ts'

/** Ends event streams whose session, token or key has ended meanwhile. */
export const checkStreams = (streams: OpenStreams, identify: Step): Job => ({
  name: 'check-event-streams',
  everyMs: ROUND_PAUSE_MS,
  run: (signal) => endRevoked(streams.open, identify, OpenStreams.end, signal),
})
