import { insertEvents as insertIntoLog } from '@platform/broker'
import type { EventRecord } from '@platform/contracts'
import type { Sql } from '@platform/database'
import { announcedTypes } from './announced-types.ts'

/**
 * An `insert … returning` that appends records to the outbox, for callers that write events and their own rows in one
 * statement:
 *
 *     sql`with run_rows as (insert into runtime.runs …), events as (${insertEvents(records)}) select 1`
 *
 * Run alone or in a transaction it works as well. At least one record; ids that are there already are left as they
 * are. The records must have passed `capEvent`.
 */
export const insertEvents = (records: readonly EventRecord[]): Sql =>
  insertIntoLog(records, ({ type }) => announcedTypes.has(type))
