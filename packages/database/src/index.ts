export { type CopySession, openCopySession } from './copy-session.ts'
export type {
  Database,
  DatabaseLoad,
  Presence,
  Queries,
  QueryOptions,
  TransactionOptions,
} from './database.ts'
export { DatabaseError, isUniqueViolation } from './database-error.ts'
export { EmbeddedStartError } from './embedded/embedded-start-error.ts'
export { type EmbeddedOptions, type EmbeddedServer, reachEmbedded, startEmbedded } from './embedded.ts'
export { type GroupCommit, groupCommit } from './group-commit.ts'
export { type HoldersFound, HolderWatch } from './holders.ts'
export { type Installation, installationMigrations, installationOf } from './installation.ts'
export { type Migrated, type MigrateOptions, type Migrations, migrate } from './migrate.ts'
export { noticesOf } from './notifier.ts'
export { type OpenDatabaseOptions, openDatabase } from './open.ts'
export {
  dropPartition,
  listPartitions,
  makePartitions,
  type Partition,
  type PartitionedTable,
  partitionOf,
  ROWS_OF_A_PAGE,
} from './partitions.ts'
export type { PostgresOptions } from './postgres-settings.ts'
export { among, empty, join, one, raw, type Sql, sql } from './sql.ts'
export { textArray, vectorArray } from './text-array.ts'
