import { type Database, type Migrations, migrate, sql } from '@platform/database'
import type { Broker, BrokerLog, KnownInstallation } from './broker.ts'
import { RELAY_READER } from './event-log.ts'
import { ensurePartitions } from './partitions.ts'
import { openPostgresBroker } from './postgres/open.ts'

/** The outbox, which the events of every service go through, and its readers. */
export const outboxMigrations: Migrations = {
  schema: 'outbox',
  directory: new URL('../migrations/', import.meta.url),
}

export interface OpenBrokerOptions {
  /** Has the log of events, the cursors of the groups and the dead letters; every transport needs it. */
  database: Database
  log: BrokerLog
  /** The database this is: a stream of another one is refused. Without it every stream is taken. */
  installation?: KnownInstallation | undefined
}

/**
 * Opens the transport a URL names: `postgres:` reads the outbox table itself, `nats:` or `tls:` is a JetStream server
 * (`nats://user:password@host:port,other:port?namespace=name`). A NATS server that is down doesn't keep it from
 * opening.
 */
export async function openBroker(
  url: string,
  { database, log, installation }: OpenBrokerOptions,
): Promise<Broker> {
  await migrate(database, outboxMigrations)
  await ensurePartitions(database, new Date())
  const scheme = url.slice(0, url.indexOf(':'))
  if (scheme === 'postgres' || scheme === 'postgresql') {
    await database.many(sql`delete from outbox.consumers where name = ${RELAY_READER}`)
    return await openPostgresBroker(database, log)
  }
  if (scheme === 'nats' || scheme === 'tls') {
    await database.many(sql`delete from outbox.consumers where name <> ${RELAY_READER}`)
    // Its client is loaded only where it is used.
    const { openNatsBroker } = await import('./nats/open.ts')
    return await openNatsBroker(url, { database, log, installation })
  }
  throw new Error(`The broker URL must begin with postgres:, nats: or tls:, not "${scheme}:".`)
}
