import type { Server } from 'node:http'
import type { Broker } from '@platform/broker'
import type { Database } from '@platform/database'
import { exposeReadings, type RateLimiter } from '@platform/http'
import type { Clock } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { Outbox } from '@platform/outbox'
import { openPermissions, type Permissions } from '@platform/permissions'
import { onOneInstance } from '@platform/service'
import type { EventsConfig } from '../config.ts'
import type { LogPace } from '../event-log/log-backpressure.ts'
import { getEventReader } from './get-event-reader.ts'
import { Live } from './live.ts'
import { outboxRecordStore } from './outbox-record-store.ts'
import { standingStore } from './reader-rights-store.ts'
import { checkStandings } from './recheck-readers.ts'
import { wireSockets } from './sockets/wire-sockets.ts'
import { streamEvents } from './stream-events.ts'
import { type LiveLog, Tail } from './tail.ts'
import { tailEvents } from './tail-events.ts'
import { announceUnkept, hearUnkept } from './unstored-events.ts'

interface Needs {
  database: Database
  broker: Broker
  documents: LiveLog
  permissions: Permissions
  outbox: Outbox
  pace: Pick<LogPace, 'admit'>
  limits: RateLimiter
  config: Pick<EventsConfig, 'internalApiKey' | 'gatewayUrl' | 'outboxRetentionHours'>
  clock: Clock
  log: Logger
}

/** Everything that is read live, for the composition of the service. */
export async function wireLive(needs: Needs) {
  const { database, broker, documents, clock, log: logger } = needs
  await using stack = new AsyncDisposableStack()
  const tail = stack.use(await Tail.open(documents, logger))
  const live = stack.use(new Live({ log: documents, tail, logger }))
  const { findRecord } = outboxRecordStore(database)
  stack.use(await hearUnkept({ broker, tail, logger, findRecord }))
  for (const metric of metricsOf(live)) stack.use(metric)
  const fresh = await openPermissions({ database, clock })
  const sockets = wireSockets({ ...needs, live })
  const closing = stack.move()
  return {
    routes: [streamEvents({ live }), tailEvents({ live }), getEventReader()],
    subscriptions: [onOneInstance('live', announceUnkept({ broker }))],
    mounts: sockets.mounts,
    jobs: [
      ...sockets.jobs,
      checkStandings({ readers: live.readers, store: standingStore(database), permissions: fresh }),
    ],
    attach: (server: Server) => sockets.attach(server),
    leaving: () => {
      live.leave()
      sockets.leave()
    },
    closing: () => closing.disposeAsync(),
  }
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
