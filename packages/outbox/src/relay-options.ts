import type { Broker, BrokerLog, RelayTarget } from '@platform/broker'
import type { Database } from '@platform/database'

/** What the relay reads and where it writes. */
export interface RelayOptions {
  database: Database
  broker: Broker
  target: RelayTarget
  log: BrokerLog
}
