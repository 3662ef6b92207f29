import { randomUUID } from 'node:crypto'
import { beforeAbort } from '@platform/kernel'
import type { SearchIndex } from '../search-index.ts'
import { add } from './add.ts'
import { readIndexAddress } from './address.ts'
import { analyse } from './analyse.ts'
import { connect } from './connection.ts'
import { DataStreams } from './data-streams.ts'
import { find } from './find.ts'
import { foreignTemplateWarnings } from './foreign-templates.ts'
import { createPlainIndex, identity, initialize } from './identity.ts'
import { Installation } from './installation.ts'
import { deleteBefore, deleteStream } from './retained.ts'
import { rollOver } from './roll-over.ts'
import { ADMIN_MS, bodyOf, type IndexContext, type IndexLog, SLOW_MS } from './store.ts'
import { dataStreamOf } from './stream-names.ts'
import { stripExecuted } from './strip-executed.ts'
import { shardBudget, summaries } from './summaries.ts'

export interface IndexOptions {
  /** Primary shards of a new stream (EVENTS_SHARDS_SMALL; 1). */
  smallShards?: number
  /** Primary shards of a stream that was rolled over because of its size (3). */
  bigShards?: number
  /** Copies of each shard (1). */
  replicas?: number
  /** Days after which the store's own policy deletes streams of deleted workspaces (30). */
  deletionDays?: number
  log?: IndexLog
}

const silent: IndexLog = { info: () => {} }

/** Opens the index a URL names (address.ts). Nothing is asked of the store before the first use: it may be down. */
export function openIndex(url: string, options: IndexOptions = {}): SearchIndex {
  const address = readIndexAddress(url)
  const connection = connect(address)
  const { driver, prefix } = address
  const { smallShards = 1, bigShards = 3, replicas = 1, deletionDays = 30, log = silent } = options
  const context: IndexContext = {
    store: (request) => connection.request(request),
    template: { driver, prefix, shards: smallShards, replicas, lifecycle: undefined },
    log,
  }
  const installation = new Installation(context, deletionDays)
  const dataStreams = new DataStreams(context)
  return {
    driver,
    add: (documents) => add({ context, installation, dataStreams }, documents),
    find: (stream, query) => find(context, stream, query),
    analyse: (stream, query) => analyse(context, stream, query),
    probe: (signal) => probe(context, signal),
    identity: () => identity(context),
    initialize: () => initialize(context),
    streams: (after, limit) => summaries(context, after, limit),
    counts: async (after, limit) =>
      (await summaries(context, after, limit)).map(({ stream, documents }) => ({ stream, documents })),
    refresh: (stream) => refresh(context, stream),
    rollOver: (maxPrimaryShardBytes) =>
      rollOver(context, { installation, dataStreams }, { maxPrimaryShardBytes, bigShards }),
    shardBudget: () => shardBudget(context),
    warnings: () => foreignTemplateWarnings(context),
    deleteBefore: (stream, before, limit) => deleteBefore(context, stream, before, limit),
    deleteStream: (stream) => deleteStream(context, dataStreams, stream),
    stripExecuted: (before, limit) => stripExecuted(context, before, limit),
    [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose](),
  }
}

async function refresh({ store, template }: IndexContext, stream: string): Promise<void> {
  const path = dataStreamOf(template.prefix, stream)
  if (path === undefined) return
  bodyOf(await store({ method: 'POST', path: `/${path}/_refresh`, timeoutMs: SLOW_MS }), 404)
}

/** Writes a document and deletes it, in an index of its own. */
async function probe(context: IndexContext, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await beforeAbort(writeAndDelete(context), signal, () => signal.reason)
}

async function writeAndDelete(context: IndexContext): Promise<void> {
  const index = `${context.template.prefix}platform-probe`
  const path = `/${index}/_doc/${randomUUID()}`
  const isThere = await context.store({ method: 'GET', path: `/${index}/_mapping`, timeoutMs: ADMIN_MS })
  if (isThere.status === 404) await createPlainIndex(context, index)
  bodyOf(await context.store({ method: 'PUT', path, body: { type: 'probe' }, timeoutMs: ADMIN_MS }))
  bodyOf(await context.store({ method: 'DELETE', path, timeoutMs: ADMIN_MS }), 404)
}
