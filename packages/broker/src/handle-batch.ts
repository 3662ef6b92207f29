import type { EventRecord } from '@platform/contracts'
import { type Origin, tracer } from '@platform/tracing'
import type { BatchHandler } from './queue.ts'
import { originOf } from './traces.ts'

/** Of a batch from many requests not all are told. */
const CORRELATION_IDS_TOLD = 20

/**
 * Hands a batch to the handler of a group, as a part of the trace that its events come from where they have one in
 * common.
 */
export async function handleBatch(
  events: EventRecord[],
  { group, handle }: { group: string; handle: BatchHandler },
): Promise<void> {
  if (tracer === undefined) return await handle(events)
  const ids = new Set(events.map(({ source }) => source.correlationId))
  const attributes = {
    'messaging.system': 'platform',
    'messaging.operation.type': 'process',
    'messaging.consumer.group.name': group,
    'messaging.batch.message_count': events.length,
    'platform.correlation_id': [...ids].slice(0, CORRELATION_IDS_TOLD).join(','),
  }
  const origin: Origin = originOf(events)
  const span = tracer.begin({ name: `process ${group}`, kind: 'consumer', attributes }, origin)
  await tracer.finish(span, () => handle(events))
}
