import type { Principal } from '@platform/auth'
import type { EventRecord } from '@platform/contracts'
import type { Admission } from '@platform/permissions'
import { type Filter, matches } from '@platform/search'
import { readable } from '../event-log/readable.ts'

/** Who reads live, and what they asked for. */
export interface Reader {
  readonly principal: Principal
  /** Changes when their role does. */
  admission: Admission
  filter: Filter
  /** Set for a socket, which is the only one to see what answers it alone. */
  readonly socketId?: string
}

/** True when a reader asked for the event and may see it. */
export const wants = (reader: Reader, record: EventRecord): boolean =>
  isHeard(reader, record) && matches(readable(reader), record) && matches(reader.filter, record)

/** Of what answers a socket, a socket hears its own only, even an owner's. */
function isHeard({ socketId }: Reader, { target, source }: EventRecord): boolean {
  return socketId === undefined || target?.currentSocket !== true || source.socketId === socketId
}
