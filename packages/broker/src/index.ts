export {
  ANOTHER_INSTALLATION,
  type Announcements,
  type BatchHandler,
  type BriefRecord,
  type Broker,
  BrokerError,
  type BrokerLog,
  type ConsumeOptions,
  isWhole,
  type KnownInstallation,
  type Queue,
  type RelayTarget,
  type StreamState,
} from './broker.ts'
export {
  countDeadLetters,
  type DeadLetter,
  listDeadLetters,
  replayDeadLetters,
  type StoredDeadLetter,
  storeDeadLetter,
} from './dead-letters.ts'
export {
  type EventWords,
  findCursor,
  insertEvents,
  LOG_START,
  type LogCursor,
  type LogEvent,
  listenToLog,
  loadCursor,
  RELAY_READER,
  readLog,
  readRecord,
  readRecords,
  readWhole,
  selectEvents,
  storeCursor,
  type WordsOf,
  wakeReaders,
} from './event-log.ts'
export { LogSleeper } from './log-sleeper.ts'
export { type OpenBrokerOptions, openBroker, outboxMigrations } from './open.ts'
export { dropOldPartitions, ensurePartitions } from './partitions.ts'
export { keepRecordText, knownText, recordText } from './record-text.ts'
export { adoptRestoredLog } from './restored-log.ts'
export { rememberTraces } from './traces.ts'
export { deliveryWarnings, type Lag, readLags } from './warnings.ts'
