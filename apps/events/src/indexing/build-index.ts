import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Log, PlacedDocument, SearchIndex } from '@platform/search'
import { differingStreams, SETTLED_MS } from './compare-streams.ts'
import type { IndexCounts } from './index-counts.ts'
import { addToIndex, type StoreDeadLetter } from './index-events.ts'
import type { IndexRecord, IndexStore, StreamRebuild } from './index-store.ts'

/** Until then every process has seen that the log answers now. */
const SEEN_MS = 1500
const STREAMS = 1000
const REBUILDS = 100

export interface BuildDeps {
  log: Log
  index: SearchIndex
  store: IndexStore
  storeLetter: StoreDeadLetter
  /** Which of these streams are in the log and not to be in the index. */
  withheld: (streams: readonly string[]) => Promise<ReadonlySet<string>>
  counts: IndexCounts
  clock: Clock
  logger: Pick<Logger, 'info' | 'warn'>
}

/** What there is to look for. */
interface Tending {
  /** Also finds that all streams were deleted behind its back. */
  thoroughly?: boolean
  /** How long after the store was away what was on its way is there, or never will be. */
  settleMs?: number
}

/** Brings the index as near to the log as it can come; rejects when a store is away. Only the leader calls it. */
export async function tendIndex(
  deps: BuildDeps,
  signal: AbortSignal,
  { thoroughly = false, settleMs = SETTLED_MS + SEEN_MS }: Tending = {},
): Promise<void> {
  await recognise(deps)
  if (thoroughly) await missAll(deps)
  await complete(deps, settleMs, signal)
  for (const rebuild of await deps.store.rebuilds(REBUILDS)) {
    signal.throwIfAborted()
    await rebuildStream(deps, rebuild, signal)
  }
  await deps.store.noteHealth(true)
}

/**
 * Builds what isn't built. An index whose store was away or out of sight is compared with the log afterwards: a store
 * that was killed has forgotten its last seconds, as its translog is asynchronous, also those in which it was built.
 */
async function complete(deps: BuildDeps, settleMs: number, signal: AbortSignal): Promise<void> {
  const found = await deps.store.find()
  if (found === undefined) return
  const { stage, isTrusted } = found
  if (stage === 'emptying' || stage === 'building' || (stage === 'comparing' && isTrusted))
    await build(deps, found, signal)
  if (isTrusted) return
  await distrust(deps, settleMs, signal)
  const distrusted = await deps.store.find()
  if (distrusted?.stage === 'comparing') await build(deps, distrusted, signal)
}

/** A store that was wiped or exchanged, or never was this index, is marked and built from the beginning. */
async function recognise({ index, store, log, logger }: BuildDeps): Promise<void> {
  const identity = await index.identity()
  const record = await store.find()
  if (identity !== undefined && record?.identity === identity) return
  const total = await log.lastSequence()
  await store.begin(identity ?? (await index.initialize()), total)
  logger.warn(
    { driver: index.driver, total },
    'the search index is not the one that was built: it is built from the log',
  )
}

/** An index that knows its name but has no stream left, though it had some, is built again. */
async function missAll({ index, store, log, logger }: BuildDeps): Promise<void> {
  const record = await store.find()
  if (record?.stage !== 'ready' || record.reached === 0) return
  const [inIndex] = await index.counts(undefined, 1)
  const [inLog] = await log.readAfter(0, 1)
  if (inIndex !== undefined || inLog === undefined) return
  logger.warn({ driver: index.driver }, 'the search index has lost all streams: it is built from the log')
  await store.requestBuild(await log.lastSequence())
}

/** The log answers until the index was compared with it, and that waits until everything has arrived that will. */
async function distrust(
  { store, logger, index }: BuildDeps,
  settleMs: number,
  signal: AbortSignal,
): Promise<void> {
  const record = await store.find()
  if (record?.stage !== 'ready' && record?.stage !== 'comparing') return
  if (!(await store.enter(record.build, 'comparing'))) return
  logger.info({ driver: index.driver }, 'the search index is back and will be compared with the log')
  await pause(settleMs, undefined, { signal })
}

async function build(deps: BuildDeps, record: IndexRecord, signal: AbortSignal): Promise<void> {
  const { store, log, index, clock, logger } = deps
  const { build: number } = record
  if (record.stage === 'emptying') {
    await empty(deps, signal)
    if (!(await store.enter(number, 'building'))) return
  }
  if (record.stage !== 'comparing') {
    const advance = (cursor: number, copied: number) => store.advance(number, cursor, copied)
    if (!(await copyLog({ log, add: adding(deps), advance, signal }, record.cursor))) return
    if (!(await store.enter(number, 'comparing'))) return
  }
  const unequal = await differingStreams({ log, index }, clock.now(), signal)
  const withheld = await deps.withheld(unequal)
  const differing = unequal.filter((stream) => !withheld.has(stream))
  if (differing.length > 0) await store.requestStreams(differing)
  if (await store.enter(number, 'ready'))
    logger.info({ driver: index.driver, differing: differing.length }, 'the search index is built')
}

const adding = (deps: BuildDeps) => async (documents: readonly PlacedDocument[]) => {
  const withheld = await deps.withheld([...new Set(documents.map(({ stream }) => stream))])
  await addToIndex(
    deps,
    documents.filter(({ stream }) => !withheld.has(stream)),
  )
}

async function empty({ index }: BuildDeps, signal: AbortSignal): Promise<void> {
  await pause(SEEN_MS, undefined, { signal })
  for (;;) {
    const streams = await index.streams(undefined, STREAMS)
    for (const { stream } of streams) {
      signal.throwIfAborted()
      await index.deleteStream(stream)
    }
    if (streams.length < STREAMS) return
  }
}

/** Empties one stream of the index and fills it from the log, which answers for it meanwhile. */
async function rebuildStream(deps: BuildDeps, rebuild: StreamRebuild, signal: AbortSignal): Promise<void> {
  const { store, index, log, logger } = deps
  const { stream } = rebuild
  if (!rebuild.emptied) {
    await pause(SEEN_MS, undefined, { signal })
    await index.deleteStream(stream)
    if (!(await store.noteEmptied(rebuild))) return
  }
  const advance = (cursor: number, copied: number) => store.advanceStream(rebuild, cursor, copied)
  if (!(await copyLog({ log, add: adding(deps), advance, signal }, rebuild.cursor, stream))) return
  await index.refresh(stream)
  if (await store.endStream(rebuild)) logger.info({ stream }, 'a stream of the search index is built again')
}

/** Enough for the index to be busy, and of the largest events still no more than memory takes. */
const BATCH = 1000

interface Walk {
  log: Pick<Log, 'readAfter'>
  /** Puts documents into the index. */
  add: (documents: PlacedDocument[]) => Promise<void>
  /** Stores how far the walk has come; false when it was overtaken and must end. */
  advance: (cursor: number, copied: number) => Promise<boolean>
  signal: AbortSignal
}

/**
 * Copies the log, or one stream of it, from a sequence to its end, reading ahead while the index takes what was read.
 * What is appended behind the end comes by the group of the index. Answers false when it was overtaken; rejects when
 * a store is away.
 */
async function copyLog(walk: Walk, from: number, stream?: string): Promise<boolean> {
  const { log, add, advance, signal } = walk
  const read = (after: number) => {
    const reading = log.readAfter(after, BATCH, stream)
    // It is awaited in its turn; if that never comes, its failure must not be an unhandled one.
    reading.catch(() => undefined)
    return reading
  }
  let next = read(from)
  for (;;) {
    signal.throwIfAborted()
    const documents = await next
    const last = documents.at(-1)
    if (last === undefined) return true
    next = read(last.sequence)
    await add(documents)
    if (!(await advance(last.sequence, documents.length))) return false
  }
}
