import type { Announcements } from './announcements.ts'
import type { Queue } from './queue.ts'
import type { RelayTarget } from './relay-target.ts'

/**
 * The transport between services: a durable queue and best-effort announcements, two contracts that share no
 * connection pool.
 */
export interface Broker extends AsyncDisposable {
  readonly driver: string
  readonly queue: Queue
  readonly announcements: Announcements
  /** True when the outbox table is the queue itself, so that nothing has to be relayed. */
  readonly readsOutbox: boolean
  /** Where the relay writes; missing when the outbox table is the queue itself. */
  readonly relayTarget?: RelayTarget
  /** Rejects with BrokerError when the transport can't take or deliver messages. */
  ping(signal: AbortSignal): Promise<void>
}
