import { openAudit } from '@platform/audit'
import { eventStream, type workspaceDeleted } from '@platform/contracts'
import { sql } from '@platform/database'
import { type Clock, DAY_MS, newWorkspaceId, systemClock, uuidv7 } from '@platform/kernel'
import { type Log, openLog, type SearchIndex } from '@platform/search'
import { startTestService, type TestService, testDatabase } from '@platform/testing'
import { cleanStreams } from '../src/cleanup/clean-streams.ts'
import { cleanupStore } from '../src/cleanup/cleanup-store.ts'
import { deletionStore } from '../src/cleanup/deletion-store.ts'
import type { RetentionSettings } from '../src/cleanup/retention.ts'
import { stripExecutions } from '../src/cleanup/strip-executions.ts'
import { events } from '../src/service.ts'
import { usageStore } from '../src/usage/usage-store.ts'

/** The settings that are preset. */
const specified: RetentionSettings = {
  retentionDays: 1080,
  workspaceMaxEvents: 50,
  workspaceInactivityDays: 30,
  executedExpirationMs: 14 * DAY_MS,
  scheduledDeletionDays: 30,
}

/** A clock that tests move. */
export function movableClock(from = systemClock.now()): Clock & { moveTo(date: Date): void } {
  let at = from
  return {
    now: () => at,
    moveTo(date) {
      at = date
    },
  }
}

export const later = (days: number): Date => new Date(systemClock.now().getTime() + days * DAY_MS)

/** The events service, its log, and workspaces to fill. */
export async function startCleanupTests() {
  const stack = new AsyncDisposableStack()
  const service: TestService = stack.use(await startTestService(events))
  const log = await service.resources.log(service.env.DATABASE_URL ?? '')
  const outbox = await service.resources.outbox('postgres:', service.env.DATABASE_URL ?? '')
  return {
    service,
    log,
    /** Documents of these ages in days, appended as the log gets them. */
    fill: (workspaceId: string, ages: readonly number[], document: Record<string, unknown> = {}) =>
      fill(log, workspaceId, ages, document),
    newWorkspace: (deletedAt?: Date) => newWorkspace(service, deletedAt),
    /** Commits an event about a workspace, as the workspaces service does. */
    tell: (contract: typeof workspaceDeleted, workspaceId: string) =>
      service.database.transaction((tx) =>
        outbox.add(tx, contract, { workspaceId, name: 'Test', workspaceSlug: workspaceId }, { workspaceId }),
      ),
    /** What the service is made of, with a clock, an index and settings of the test's own. */
    async parts(clock: Clock = systemClock, index?: SearchIndex, settings = specified) {
      const audit = await openAudit({ database: service.database, clock })
      const store = cleanupStore({ database: service.database, outbox, audit })
      const deletions = deletionStore({ database: service.database, audit })
      const rebuilt: string[] = []
      const rebuildStream = async (stream: string) => {
        rebuilt.push(stream)
      }
      const { forgetWorkspace: forgetUsage } = usageStore(service.database, outbox)
      const streams = { log, index, deletions, settings, clock, rebuildStream, forgetUsage }
      const indices = cleanStreams(streams)
      const executions = stripExecutions(streams)
      return { store, deletions, clock, streams, rebuilt, indices, executions }
    },
    count: async (workspaceId: string, of: Pick<Log, 'find'> = log) =>
      (await of.find(eventStream(workspaceId), { sort: 'asc', limit: 1000 })).length,
    platformEvents: () => log.find('events-platform', { sort: 'desc', limit: 100 }),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** A second log in a database of its own, as an index: it stores, finds and drops as one does. */
export async function otherStore(driver: SearchIndex['driver']): Promise<SearchIndex & Pick<Log, 'append'>> {
  const database = await testDatabase()
  const log = await openLog(database)
  return {
    ...log,
    driver,
    identity: async () => 'other',
    initialize: async () => 'other',
    add: async (documents) => {
      await log.append(documents)
      return []
    },
    refresh: async () => {},
    rollOver: async () => [],
    shardBudget: async () => ({ shards: 1, max: 1000 }),
    warnings: async () => [],
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  }
}

export async function fill(
  into: Pick<Log, 'append'>,
  workspaceId: string,
  ages: readonly number[],
  document: Record<string, unknown> = {},
): Promise<void> {
  const now = systemClock.now().getTime()
  const documents = ages.map((days) => {
    const ms = now - days * DAY_MS
    const id = uuidv7(ms)
    const createdAt = new Date(ms).toISOString()
    const event = { id, type: 'thing.happened', payload: {}, source: { workspaceId }, createdAt, ...document }
    return { stream: eventStream(workspaceId), id, document: event }
  })
  await into.append(documents)
}

async function newWorkspace({ database }: TestService, deletedAt?: Date): Promise<string> {
  const id = newWorkspaceId()
  await database.many(sql`
    insert into permissions.workspaces (id, slug, name, deleted_at)
    values (${id}, ${id}, 'Test', ${deletedAt ?? null})`)
  return id
}
