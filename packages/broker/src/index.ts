export type { Announcements } from './announcements.ts'
export type { Broker } from './broker.ts'
export { BrokerError } from './broker-error.ts'
export { type DeadLetter, keepDeadLetter } from './dead-letters.ts'
export {
  findCursor,
  insertEvents,
  LOG_START,
  type LogCursor,
  type LogEvent,
  loadCursor,
  readEvents,
  storeCursor,
} from './event-log.ts'
export { type Lag, readLags } from './lag.ts'
export type { BrokerLog } from './log.ts'
export { type OpenBrokerOptions, openBroker, RELAY_READER } from './open.ts'
export { dropOldPartitions, ensurePartitions } from './partitions.ts'
export type { BatchHandler, Queue } from './queue.ts'
export type { RelayTarget, StreamState } from './relay-target.ts'
export { adoptRestoredLog } from './restored-log.ts'
export { type Sleeper, WakeUp } from './wake-up.ts'
