import { setTimeout as pause } from 'node:timers/promises'
import { growingPauseMs } from '@platform/kernel'
import type { BatchHandler, ConsumeOptions } from '../broker.ts'
import { storeDeadLetter } from '../dead-letters.ts'
import { type Delivery, deliver, throughOutages } from '../deliver.ts'
import { replayer } from '../replay.ts'
import { type GroupReader, openGroupReader, type StreamSource } from './group-reader.ts'
import { storeSequence } from './stream-positions.ts'

/** After so many failures in a row another process may try: its connection may be better. */
const FAILURES_BEFORE_HANDOVER = 5
const PAUSES = { firstMs: 150, longestMs: 5000 }

/**
 * Handles the stream as one instance of `group`. As with the log itself, one process of the cluster is active at a
 * time, which keeps the order of each workspace, and how far the group has come is kept in PostgreSQL, which outlives
 * the server.
 */
export function consumeStream(
  source: StreamSource,
  group: string,
  handle: BatchHandler,
  options: ConsumeOptions = {},
): AsyncDisposable {
  const { maxBatch = 256, maxDeliveries = 5 } = options
  return source.database.whileLeader(`stream consumer ${group}`, async (signal) => {
    const delivery: Delivery = {
      group,
      handle,
      maxDeliveries,
      signal,
      log: source.log,
      giveUp: (event, reason) =>
        storeDeadLetter(source.database, { group, eventId: event.id, record: event, reason }),
    }
    const progress = { failures: 0 }
    while (!signal.aborted && progress.failures < FAILURES_BEFORE_HANDOVER) {
      await readWhile(source, delivery, maxBatch, progress).catch(async (error: unknown) => {
        if (signal.aborted) return
        if (progress.failures === 0)
          source.log.warn({ group, err: error }, 'consuming stopped, it is begun again')
        progress.failures += 1
        await pause(growingPauseMs(progress.failures, PAUSES), undefined, { signal }).catch(() => undefined)
      })
    }
  })
}

async function readWhile(
  source: StreamSource,
  delivery: Delivery,
  maxBatch: number,
  progress: { failures: number },
): Promise<void> {
  const { group, signal } = delivery
  const reader = await openGroupReader(source, delivery, maxBatch)
  const replayAsked = replayer(source.database, delivery)
  while (!signal.aborted) {
    const isBusy = await replayAsked()
    const batch = await reader.next({ isBusy })
    progress.failures = 0
    if (batch.events.length > 0) await whileWorking(batch, () => deliver(batch.events, delivery))
    if (batch.sequence === undefined) continue
    const { sequence } = batch
    await throughOutages(delivery, () => storeSequence(source.database, group, reader.streamId, sequence))
    batch.acknowledge()
  }
}

const WORKING_EVERY_MS = 10_000

/** Reports to the server now and again that the batch is still being handled. */
async function whileWorking(
  batch: Awaited<ReturnType<GroupReader['next']>>,
  work: () => Promise<void>,
): Promise<void> {
  const heartbeat = setInterval(() => batch.working(), WORKING_EVERY_MS)
  try {
    await work()
  } finally {
    clearInterval(heartbeat)
  }
}
