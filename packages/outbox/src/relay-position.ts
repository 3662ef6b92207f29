import {
  type Broker,
  type BrokerLog,
  findCursor,
  type LogCursor,
  loadCursor,
  RELAY_READER,
  type RelayTarget,
  readLog,
  type StreamState,
  storeCursor,
} from '@platform/broker'
import { type Database, sql } from '@platform/database'

/** What the relay reads and where it writes. */
export interface RelayOptions {
  database: Database
  broker: Broker
  target: RelayTarget
  log: BrokerLog
}

/** Where the relay is: the last event of the stream, in the stream and in the log. */
export interface RelayPosition {
  streamId: string
  sequence: number
  cursor: LogCursor
}

/**
 * Finds where to go on. The last event of a stream this relay wrote says it exactly; an empty stream begins where all
 * groups had come; a stream with other events, or one that lost what a group still needs, is deleted and begun the
 * same way.
 */
export async function findRelayPosition({ database, target, log }: RelayOptions): Promise<RelayPosition> {
  const watermark = await loadCursor(database, RELAY_READER)
  const state = await target.state()
  const cursor = await cursorOfEnd({ database, target }, state)
  if (cursor !== undefined) return { streamId: state.streamId, sequence: state.lastSequence, cursor }
  const stream = state.lastSequence === 0 ? state : await remake()
  await registerStream(database, stream.streamId)
  return { streamId: stream.streamId, sequence: 0, cursor: watermark }

  async function remake(): Promise<StreamState> {
    log.warn({ streamId: state.streamId }, 'the stream does not match the log and is written again')
    await target.reset()
    return await target.state()
  }
}

/**
 * Makes the stream anew: a server whose disk was full takes nothing into the old one, even when there is room again.
 * What all groups have handled is then gone from it; what a group has yet to handle is written again.
 */
export async function remakeStream({ target, log }: RelayOptions): Promise<void> {
  const { streamId, lastSequence } = await target.state()
  log.warn({ streamId, lastSequence }, 'the stream takes no events and is made anew')
  await target.reset()
}

/** Age of the oldest committed event that the stream doesn't have; 0 when it has all. */
export async function unrelayedMs(from: Pick<RelayOptions, 'database' | 'target'>): Promise<number> {
  const end = await cursorOfEnd(from, await from.target.state())
  const cursor = end ?? (await loadCursor(from.database, RELAY_READER))
  const { events } = await readLog(from.database, cursor, 1)
  const [next] = events
  return next === undefined ? 0 : Math.max(0, Date.now() - Date.parse(next.record.createdAt))
}

async function cursorOfEnd(
  { database, target }: Pick<RelayOptions, 'database' | 'target'>,
  state: StreamState,
): Promise<LogCursor | undefined> {
  if (state.lastSequence === 0 || hasLostEvents(state)) return undefined
  if ((await registeredStream(database)) !== state.streamId) return undefined
  const id = await target.eventAt(state.lastSequence)
  return id === undefined ? undefined : await findCursor(database, id)
}

/** True when a group has yet to handle an event that the stream has dropped for its age. */
const hasLostEvents = (state: StreamState): boolean =>
  state.settledSequence > 0 && state.settledSequence + 1 < state.firstSequence

/**
 * Remembers in the log up to where all groups have handled everything: from there a lost stream is written again, and
 * what is older may be deleted. Rejects when the stream isn't the one that is written.
 */
export async function settle({ database, target }: RelayOptions, position: RelayPosition): Promise<void> {
  const state = await target.state()
  const isShorter = state.streamId !== position.streamId || state.lastSequence < position.sequence
  if (isShorter || hasLostEvents(state)) throw new Error('The stream of the broker was lost or shortened.')
  if (state.settledSequence === 0) return
  const id = await target.eventAt(state.settledSequence)
  const cursor = id === undefined ? undefined : await findCursor(database, id)
  if (cursor !== undefined) await storeCursor(database, RELAY_READER, cursor)
}

async function registeredStream(database: Database): Promise<string | undefined> {
  const [row] = await database.many<{ streamId: string | null }>(
    sql`select stream_id as "streamId" from outbox.consumers where name = ${RELAY_READER}`,
  )
  return row?.streamId ?? undefined
}

async function registerStream(database: Database, streamId: string): Promise<void> {
  await database.many(sql`update outbox.consumers set stream_id = ${streamId} where name = ${RELAY_READER}`)
}
