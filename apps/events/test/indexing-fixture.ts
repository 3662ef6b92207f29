import { openBroker, outboxMigrations } from '@platform/broker'
import { type EventRecord, eventStream } from '@platform/contracts'
import { type Database, migrate } from '@platform/database'
import { newWorkspaceId, systemClock, uuidv7 } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import {
  type Analysis,
  type AnalysisQuery,
  type Log,
  matches,
  openLog,
  type PlacedDocument,
  type Rejection,
  SearchError,
  type SearchIndex,
  type SearchQuery,
  type StreamSummary,
  searchMigrations,
  UNREACHABLE,
} from '@platform/search'
import { templateDatabase, testDatabase } from '@platform/testing'
import { IndexCounts } from '../src/indexing/index-counts.ts'
import type { StoreDeadLetter } from '../src/indexing/index-events.ts'
import { indexStore } from '../src/indexing/index-store.ts'

/**
 * An index in memory, to be wiped, taken away and given what to refuse: what the order of our own steps is tested
 * with.
 */
export class ScriptedIndex implements SearchIndex {
  readonly driver = 'opensearch'
  readonly documents = new Map<string, PlacedDocument>()
  readonly calls: string[] = []
  name: string | undefined
  /** Every call rejects. */
  away = false
  refuse: (document: PlacedDocument) => string | undefined = () => undefined
  /** Called before documents are added. */
  beforeAdd: () => Promise<void> = async () => {}

  wipe(): void {
    this.name = undefined
    this.documents.clear()
  }

  of(stream: string): PlacedDocument[] {
    return [...this.documents.values()].filter((one) => one.stream === stream)
  }

  #call(name: string): void {
    this.calls.push(name)
    if (this.away) throw new SearchError('No index answers.', { unavailable: true, code: UNREACHABLE })
  }

  async identity(): Promise<string | undefined> {
    this.#call('identity')
    return this.name
  }

  async initialize(): Promise<string> {
    this.#call('initialize')
    this.name ??= uuidv7()
    return this.name
  }

  async add(documents: readonly PlacedDocument[]): Promise<Rejection[]> {
    await this.beforeAdd()
    this.#call(`add ${documents.length}`)
    const rejections: Rejection[] = []
    for (const one of documents) {
      const reason = this.refuse(one)
      if (reason !== undefined) rejections.push({ id: one.id, stream: one.stream, reason })
      else if (!this.documents.has(one.id)) this.documents.set(one.id, one)
    }
    return rejections
  }

  async counts(): Promise<{ stream: string; documents: number }[]> {
    this.#call('counts')
    const streams = Map.groupBy(this.documents.values(), ({ stream }) => stream)
    return [...streams].map(([stream, list]) => ({ stream, documents: list.length }))
  }

  async streams(): Promise<StreamSummary[]> {
    return (await this.counts()).map((one) => ({ ...one, newestAt: undefined }))
  }

  async deleteStream(stream: string): Promise<void> {
    this.#call(`deleteStream ${stream}`)
    for (const { id } of this.of(stream)) this.documents.delete(id)
  }

  async find(stream: string, { filter, limit }: SearchQuery): Promise<Record<string, unknown>[]> {
    this.#call('find')
    return this.of(stream)
      .filter(({ document }) => filter === undefined || matches(filter, document))
      .sort((a, b) => b.sequence - a.sequence)
      .slice(0, limit)
      .map(({ document }) => document)
  }

  async analyse(stream: string | undefined, { filter }: AnalysisQuery): Promise<Analysis> {
    this.#call('analyse')
    const found = this.of(stream ?? '').filter(({ document }) => matches(filter, document))
    return { documents: [], aggregations: {}, total: found.length }
  }

  async refresh(stream: string): Promise<void> {
    this.#call(`refresh ${stream}`)
  }

  async probe(): Promise<void> {
    this.#call('probe')
  }

  async shardBudget(): Promise<{ shards: number; max: number }> {
    this.#call('shardBudget')
    return { shards: 12, max: 1000 }
  }

  async warnings(): Promise<string[]> {
    this.#call('warnings')
    return []
  }

  readonly deleteBefore = async () => 0
  readonly stripExecuted = async () => 0
  readonly rollOver = async () => []
  async [Symbol.asyncDispose](): Promise<void> {}
}

const eventsMigrations = { schema: 'events', directory: new URL('../migrations/', import.meta.url) }

async function migrateAll(database: Database): Promise<void> {
  for (const one of [outboxMigrations, searchMigrations, eventsMigrations]) await migrate(database, one)
}

/** A real log and the tables beside it, and an index in memory. */
export async function indexingFixture() {
  await using stack = new AsyncDisposableStack()
  const database = stack.use(await testDatabase(await templateDatabase('index and log', migrateAll)))
  const logger = createLogger({ level: 'silent' })
  stack.use(await openBroker('postgres:', { database, log: logger }))
  const log: Log = stack.use(await openLog(database))
  const letters: Parameters<StoreDeadLetter>[0][] = []
  const storeLetter: StoreDeadLetter = async (letter) => void letters.push(letter)
  const memory = new ScriptedIndex()
  /** Streams that are not to be in the index. */
  const deleted = new Set<string>()
  const parts = {
    database,
    log,
    memory,
    letters,
    storeLetter,
    logger,
    clock: systemClock,
    deleted,
    withheld: async () => deleted,
    index: memory,
    store: indexStore(database),
    counts: new IndexCounts(),
  }
  const opened = stack.move()
  return { ...parts, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

export type IndexingFixture = Awaited<ReturnType<typeof indexingFixture>>

/** An event of a workspace that happened `ageMs` ago. */
export function someEvent(
  workspaceId = newWorkspaceId(),
  changes: Partial<EventRecord> = {},
  ageMs = 0,
): EventRecord {
  const at = new Date(Date.now() - ageMs)
  return {
    id: uuidv7(at.getTime()),
    type: 'order.placed',
    source: { workspaceId, correlationId: uuidv7() },
    payload: { order: 1 },
    createdAt: at.toISOString(),
    size: 40,
    ...changes,
  }
}

/** Events as the log takes them. */
export const documentsOf = (events: readonly EventRecord[]) =>
  events.map((event) => ({
    stream: eventStream(event.source.workspaceId),
    id: event.id,
    document: { ...event },
  }))
