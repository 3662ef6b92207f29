import type { Database } from '@platform/database'
import { beforeAbort, Deadline } from '@platform/kernel'
import {
  type Broker,
  BrokerError,
  type BrokerLog,
  type KnownInstallation,
  type RelayTarget,
} from '../broker.ts'
import { readNatsAddress } from './address.ts'
import { natsAnnouncements } from './announcements.ts'
import { consumeStream } from './consume-stream.ts'
import { Link } from './link.ts'
import { EventStream } from './stream.ts'
import { settledSequence } from './stream-positions.ts'

const PING_MS = 2000

/**
 * The broker on NATS: a JetStream stream that the relay fills from the outbox, and core NATS for announcements, on
 * connections of their own. The stream is a copy: when the server loses it, it is made and filled again.
 */
export async function openNatsBroker(
  url: string,
  {
    database,
    log,
    installation,
  }: { database: Database; log: BrokerLog; installation?: KnownInstallation | undefined },
): Promise<Broker> {
  const address = readNatsAddress(url)
  const stack = new AsyncDisposableStack()
  const announcing = stack.use(new Link(address, log))
  const queueing = stack.use(new Link(address, log))
  const stream = new EventStream(queueing, address.namespace, installation)
  const consumers = stack.use(new AsyncDisposableStack())
  return {
    driver: 'nats',
    readsOutbox: false,
    relayTarget: relayTargetOf(stream, database),
    queue: {
      async publish(events) {
        await stream.ensure()
        await stream.publish(events)
      },
      consume: async (group, handle, options) =>
        consumers.use(consumeStream({ database, stream, log }, group, handle, options)),
    },
    announcements: natsAnnouncements(announcing, address.namespace, log),
    async ping(signal) {
      using deadline = new Deadline(PING_MS, signal)
      const ending = deadline.signal
      const message = `The broker at ${queueing.name} did not answer in time.`
      await beforeAbort(
        stream.ensure(),
        ending,
        () => new BrokerError(message, { cause: ending.reason, unavailable: true }),
      )
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

function relayTargetOf(stream: EventStream, database: Database): RelayTarget {
  return {
    async state() {
      const { created, state } = await stream.ensure()
      const streamId = String(created)
      return {
        streamId,
        firstSequence: state.first_seq,
        lastSequence: state.last_seq,
        settledSequence: await settledSequence(database, streamId),
      }
    },
    eventAt: (sequence) => stream.eventAt(sequence),
    append: (events, afterSequence) => stream.append(events, afterSequence),
    reset: () => stream.remake(),
  }
}
