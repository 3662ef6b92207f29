import { tailEvents as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Live } from './live.ts'
import { openStream } from './stream-events.ts'

/** The events of any workspace as they happen, for whoever operates the platform. */
export const tailEvents = (deps: { live: Live }) =>
  route(endpoint, { handle: (input) => openStream(deps, input) })
