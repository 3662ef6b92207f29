import type { Database } from '@platform/database'
import type { BrokerLog } from '../log.ts'
import type { EventStream } from './stream.ts'

/** What the groups of a stream read, and where they keep how far they have come. */
export interface StreamSource {
  database: Database
  stream: EventStream
  log: BrokerLog
}
