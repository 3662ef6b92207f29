import { type Broker, readRecord } from '@platform/broker'
import type { Database } from '@platform/database'
import { exposeReadings, type RateLimiter } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Outbox } from '@platform/outbox'
import { openPermissions, type Permissions, userTopicStore } from '@platform/permissions'
import { onOneInstance, type Part } from '@platform/service'
import { BRIEF_TYPES } from '../event-log/append-to-log.ts'
import type { LogBackpressure } from '../event-log/log-backpressure.ts'
import { getEventReader } from './get-event-reader.ts'
import { Live } from './live.ts'
import { readerRightsStore } from './reader-rights-store.ts'
import { ReaderTopics } from './reader-topics.ts'
import { recheckReaders } from './recheck-readers.ts'
import { openEventSockets } from './sockets/event-sockets.ts'
import { OwnCredentials, resolveCaller } from './sockets/own-credentials.ts'
import { SocketEndpoint } from './sockets/socket-endpoint.ts'
import { streamEvents, tailEvents } from './stream-events.ts'
import { type LiveLog, Tail } from './tail.ts'
import { announceUnstored, listenForUnstored } from './unstored-events.ts'

interface Needs {
  database: Database
  broker: Broker
  eventLog: LiveLog
  permissions: Permissions
  outbox: Outbox
  backpressure: Pick<LogBackpressure, 'admit'>
  limits: RateLimiter
  internalApiKey: string
  gatewayUrl: string
  outboxRetentionHours: number
  clock: Clock
  log: Logger
}

/** Events as they happen: streams for readers, sockets, and the tail of the log that both follow. */
export async function openLivePart(needs: Needs): Promise<Part> {
  const { database, broker, eventLog, clock, log: logger } = needs
  await using stack = new AsyncDisposableStack()
  const topics = new ReaderTopics(userTopicStore(database))
  const tail = stack.use(await Tail.open(eventLog, logger, (record) => topics.apply(record)))
  const live = stack.use(new Live({ log: eventLog, tail, topics, logger }))
  const findRecord = (id: string) => readRecord(database, id)
  stack.use(await listenForUnstored({ broker, tail, topics, logger, findRecord }))
  for (const metric of metricsOf(live)) stack.use(metric)
  // Permissions of their own: their cache is emptied whenever something has changed.
  const uncached = await openPermissions({ database, clock })
  const sockets = socketsOf(needs, live)
  const closing = stack.move()
  return {
    routes: [streamEvents({ live }), tailEvents({ live }), getEventReader()],
    subscriptions: [onOneInstance('live', announceUnstored({ broker }), { briefTypes: BRIEF_TYPES })],
    mounts: [sockets.endpoint.mount()],
    jobs: [
      sockets.checkCredentials,
      recheckReaders({ readers: live.readers, rights: readerRightsStore(database), permissions: uncached }),
    ],
    attach: (server) => sockets.endpoint.attach(server),
    leaving: () => {
      live.leave()
      sockets.endpoint.leave()
    },
    closing: () => closing.disposeAsync(),
  }
}

/** The same events over socket.io, and a way to emit there. */
function socketsOf(needs: Needs, live: Live) {
  const { permissions, outbox, backpressure, limits, outboxRetentionHours, clock } = needs
  const endpoint = new SocketEndpoint(needs.internalApiKey)
  const credentials = new OwnCredentials()
  const resolve = resolveCaller(needs.gatewayUrl)
  openEventSockets(endpoint.io, {
    emit: { permissions, outbox, backpressure, limits, outboxRetentionHours, clock },
    connections: endpoint.connections,
    permissions,
    live,
    resolve,
    credentials,
  })
  return { endpoint, checkCredentials: credentials.job(resolve) }
}

const metricsOf = ({ readers, tail }: Live): Disposable[] => [
  exposeReadings(
    { name: 'platform_live_readers', help: 'Streams and sockets that read events live.', type: 'gauge' },
    () => [{ labels: {}, value: readers.count }],
  ),
  exposeReadings(
    {
      name: 'platform_live_readers_cut_total',
      help: 'Live readers that were cut because they took too little.',
      type: 'counter',
    },
    () => [{ labels: {}, value: readers.cut }],
  ),
  exposeReadings(
    { name: 'platform_live_events_total', help: 'Events handed to live readers.', type: 'counter' },
    () => [{ labels: {}, value: tail.delivered }],
  ),
]
