import type { Principal } from '@platform/auth'
import type { EventRecord } from '@platform/contracts'
import type { Admission } from '@platform/permissions'
import { type AskedDocument, type Condition, compileFilter, type Filter } from '@platform/search'
import { mayReachSocket, visibleTo } from '../event-log/event-visibility.ts'

/** Who reads live, and what they asked for. */
export interface Reader {
  readonly principal: Principal
  /** Changes when their role does. */
  admission: Admission
  filter: Filter
  /** Set for a socket, which is the only one to see what answers it alone. */
  readonly socketId?: string
  /** Of which they are a member; undefined while that is looked up. */
  topics?: readonly string[] | undefined
  /** Those of them that they have joined since they read. */
  joined?: readonly string[]
}

/** What a reader may see and asked for, worked out once for their role and their filter. */
interface Known {
  readonly admission: Admission
  readonly filter: Filter
  readonly topics: readonly string[] | undefined
  readonly condition: Condition
}
const known = new WeakMap<Reader, Known>()

/** True when a reader asked for the event and may see it. `asked` is the event, for all its readers. */
export const wants = (reader: Reader, record: EventRecord, asked: AskedDocument): boolean =>
  mayReachSocket(reader.socketId, record) && conditionOf(reader)(asked)

/**
 * True for what a reader may turn out to want: it is kept until their topics are known, and then asked about again.
 */
export const mayWant = (reader: Reader, record: EventRecord, asked: AskedDocument): boolean =>
  wants(reader, record, asked) || (reader.topics === undefined && record.target?.userTopic !== undefined)

function conditionOf(reader: Reader): Condition {
  const { admission, filter, topics } = reader
  const found = known.get(reader)
  if (found?.admission === admission && found.filter === filter && found.topics === topics)
    return found.condition
  const condition = compileFilter({ all: [visibleTo(reader), filter] })
  known.set(reader, { admission, filter, topics, condition })
  return condition
}
