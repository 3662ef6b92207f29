export {
  type BriefRecord,
  dropOldPartitions,
  ensurePartitions,
  insertEvents,
  isWhole,
  readWhole,
  type WordsOf,
  wakeReaders,
} from '@platform/broker'
export { type AnnouncedEvent, onAnnouncedEvent } from './announced.ts'
export {
  buildRecord,
  capEvent,
  checkNative,
  defaultEventLimits,
  type EventLimits,
  type EventParts,
  eventSize,
  sizeOfRecords,
} from './event-record.ts'
export { type OpenOutboxOptions, type Outbox, openOutbox } from './outbox.ts'
export { unrelayedMs } from './relay-position.ts'
