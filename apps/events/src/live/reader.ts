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
  isAudience(reader, record) && matches(readable(reader.admission), record) && matches(reader.filter, record)

/** An event with an audience is for that audience and for owners (reference events 3.1). */
function isAudience({ principal, admission, socketId }: Reader, { target, source }: EventRecord): boolean {
  if (target === undefined) return true
  const { userTopic, userId, sessionId, currentSocket } = target
  if (currentSocket === true && socketId !== undefined) return source.socketId === socketId
  const isForAll = userTopic === undefined && userId === undefined && sessionId === undefined
  if (isForAll && currentSocket !== true) return true
  if (admission.role === 'owner' || admission.by === 'power') return true
  if (principal.kind !== 'user') return false
  return principal.userId === userId || principal.sessionId === sessionId
}
