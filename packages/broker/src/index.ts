export type { Announcements } from './announcements.ts'
export type { Broker } from './broker.ts'
export { BrokerError } from './broker-error.ts'
export {
  countDeadLetters,
  type DeadLetter,
  type KeptDeadLetter,
  keepDeadLetter,
  listDeadLetters,
  replayDeadLetters,
} from './dead-letters.ts'
export {
  findCursor,
  insertEvents,
  LOG_START,
  type LogCursor,
  type LogEvent,
  loadCursor,
  readEvents,
  readRecord,
  readRecords,
  storeCursor,
} from './event-log.ts'
export { type Lag, readLags } from './lag.ts'
export type { BrokerLog } from './log.ts'
export { type OpenBrokerOptions, openBroker } from './open.ts'
export { dropOldPartitions, ensurePartitions } from './partitions.ts'
export type { BatchHandler, Queue } from './queue.ts'
export { RELAY_READER } from './relay-reader.ts'
export type { RelayTarget, StreamState } from './relay-target.ts'
export { adoptRestoredLog } from './restored-log.ts'
export { type Sleeper, sleeperOn } from './sleeper.ts'
export { keepTraces } from './traces.ts'
export { deliveryWarnings } from './warnings.ts'
