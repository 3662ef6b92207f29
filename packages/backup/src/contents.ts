/** What a backup takes of a table where that is not all of it. All text here is SQL of ours. */
interface TableRule {
  /** Nothing is taken: it is made anew by who uses it. */
  isSkipped?: true
  /** Only these rows. */
  where?: string
  /** Columns that are written otherwise than they are stored. */
  columns?: Readonly<Record<string, string>>
  /** The migrations themselves put rows there: they don't count where a place is asked to be empty. */
  isSeeded?: true
}

const skipped: TableRule = { isSkipped: true }

/**
 * A table without a line here is taken whole, so that one which nobody thought of is not lost. Transaction ids mean
 * nothing to another server, which may count from the start: the log of events is numbered anew in its own order, and
 * every reader stands behind the same event as before (docs/adr/0057).
 */
export const tableRules: Readonly<Record<string, TableRule>> = {
  // The migration gives every database an id; a restored one has that of the backup.
  'installation.identity': { isSeeded: true },
  'outbox.events': {
    columns: { xid: "'3'::xid8", position: 'row_number() over (order by xid, position)' },
  },
  'outbox.consumers': {
    columns: {
      xid: "'3'::xid8",
      position:
        '(select count(*) from outbox.events e where (e.xid, e.position) <= (consumers.xid, consumers.position))',
      // The stream in NATS may be another one, or know events that this backup does not: the relay writes it anew.
      stream_id: 'null',
    },
  },
  'outbox.stream_positions': skipped,
  // How far the copy of the log in the search store is: it is built anew.
  'events.indexes': skipped,
  'events.stream_rebuilds': skipped,
  'events.usage_progress': { isSeeded: true },
  // Leases of processes that will be gone: what they held is free.
  'events.subscription_queues': {
    columns: { leased_until: 'null', holder: 'null', holder_token: 'null' },
  },
  'runtime.runs': {
    columns: {
      status: "case when status = 'running' then 'queued' else status end",
      leased_until: 'null',
      worker: 'null',
    },
  },
  // Without a status it is a request that was under way.
  'idempotency.requests': { where: 'status is not null' },
  'workspaces.probes': skipped,
}

/** The statement that reads a table for a backup. */
export function selectionOf(table: string, columns: readonly string[]): string {
  const { isSkipped, where = 'true', columns: instead = {} } = tableRules[table] ?? {}
  const read = columns.map((name) => `${instead[name] ?? quoted(name)} as ${quoted(name)}`)
  return `select ${read.join(', ')} from ${quotedTable(table)} where ${isSkipped === true ? 'false' : where}`
}

/** Where a master key has sealed something: an expression that is null where nothing is sealed. */
export const sealedValues: readonly { table: string; value: string }[] = [
  { table: 'gateway.signing_keys', value: 'sealed_jwk' },
  { table: 'gateway.totp', value: 'secret' },
  { table: 'gateway.totp', value: 'pending_secret' },
  { table: 'gateway.mails', value: 'sealed' },
  { table: 'gateway.auth_providers', value: 'client_secret' },
  { table: 'gateway.oidc_records', value: "payload ->> 'sealedSecret'" },
  { table: 'events.subscriptions', value: 'headers' },
  { table: 'events.subscriptions', value: 'secret' },
  { table: 'events.subscriptions', value: 'previous_secret' },
  { table: 'runtime.secrets', value: 'sealed' },
]

/** Which files the database refers to: the key of a file of each row, null where it has none. */
export const fileKeys: readonly { table: string; key: string }[] = [
  {
    table: 'gateway.users',
    key: "'photos/' || substring(photo from '/photos/([0-9A-Za-z]{28}-[0-9a-f]{16})$')",
  },
]

/** Beside the tables themselves a schema has the list of its migrations. */
export const MIGRATIONS = 'migrations'

/** A name as SQL takes it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** `schema.table` as SQL takes it; neither has a dot of its own. */
export const quotedTable = (table: string): string => table.split('.').map(quoted).join('.')
