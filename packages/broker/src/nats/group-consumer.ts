import { AckPolicy, type ConsumerConfig, DeliverPolicy, nanos, ReplayPolicy } from 'nats'
import { BrokerError } from '../broker.ts'
import { isNotFound, type Up } from './link.ts'

const ACK_WAIT_MS = 30_000
const ANSWER_MS = 3000

const managerOf = ({ nc }: Up) => nc.jetstreamManager({ checkAPI: false, timeout: ANSWER_MS })

/** What every consumer of a group must be; the operators of the server have no say in it. */
const config = {
  ack_policy: AckPolicy.Explicit,
  ack_wait: nanos(ACK_WAIT_MS),
  replay_policy: ReplayPolicy.Instant,
  // Deliveries are counted where they fail: the server would drop an event silently.
  max_deliver: -1,
}

/** Makes the consumer of a group anew, to begin at a sequence. `mostOpen` events may be on their way to the group. */
export async function remakeConsumer(
  up: Up,
  { stream, consumer, mostOpen }: { stream: string; consumer: string; mostOpen: number },
  startSequence: number,
): Promise<void> {
  const manager = await managerOf(up)
  await manager.consumers.delete(stream, consumer).catch((error: unknown) => {
    if (!isNotFound(error)) throw error
  })
  await manager.consumers.add(stream, {
    ...config,
    durable_name: consumer,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: startSequence,
    max_ack_pending: mostOpen,
  })
}

/** Rejects when the consumer is gone, or was paused or changed by hand: then it would be silent for ever. */
export async function requireUnchanged(
  up: Up,
  { stream, consumer, mostOpen }: { stream: string; consumer: string; mostOpen: number },
): Promise<void> {
  const manager = await managerOf(up)
  const { config: present, paused } = await manager.consumers.info(stream, consumer)
  if (paused === true || isNarrowed(present) || present.max_ack_pending !== mostOpen) {
    throw new BrokerError(`The consumer ${consumer} was changed by somebody else and is made anew.`, {
      unavailable: true,
    })
  }
}

const isNarrowed = (present: ConsumerConfig): boolean =>
  (present.filter_subject ?? '') !== '' ||
  (present.filter_subjects ?? []).length > 0 ||
  present.deliver_subject !== undefined ||
  Object.entries(config).some(([field, value]) => present[field as keyof typeof config] !== value)
