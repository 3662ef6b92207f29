import { availableParallelism } from 'node:os'
import { type ClientConfig, types } from 'pg'
import { DatabaseError } from './database-error.ts'

/** What a caller may choose; every default keeps a request under three seconds, also when the server is frozen. */
export interface PostgresOptions {
  /** Connections of the pool; one more is opened for listening and leading. Default 10. */
  poolSize?: number
  /** Statements that may wait for a connection before further ones fail at once. Default 500. */
  maxWaiting?: number
  /** How long one statement may take. Default 2000. */
  statementTimeoutMs?: number
  /** How long a statement may wait for a connection, be it a free one or a new one. Default 800. */
  connectTimeoutMs?: number
  /** Shown in pg_stat_activity. */
  applicationName?: string
  /** Called with failures of what no caller waits for: work of a leader, a lock, a channel. */
  onFailure?: (failure: { err: unknown; leader?: string; channel?: string }, message: string) => void
  /** Fails a transaction that waits for something else than its own statements; for tests. */
  guardTransactions?: boolean
  /** Accepts a server that may lose committed data at a power cut (fsync=off); for tests only. */
  allowWeakDurability?: boolean
}

/** Everything the driver needs to know, read once from the URL and the options. */
export interface PostgresSettings extends Required<PostgresOptions> {
  /** Where the server is, without any credential: the only form of the URL that messages carry. */
  address: string
  /** Connections that are used at once while statements are short. */
  calmSize: number
  /** Texts that never appear in a message. */
  secrets: string[]
  client: ClientConfig
}

/** A server on this machine has no more cores than this process sees; how many another has nobody knows. */
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/

/** The server gives up first, so that a slow statement ends in a response and the connection stays usable. */
export const serverTimeoutMs = (timeoutMs: number): number => Math.max(1, Math.round(timeoutMs * 0.925))

export function readPostgresSettings(url: string, options: PostgresOptions): PostgresSettings {
  const parsed = parseUrl(url)
  const chosen = {
    poolSize: options.poolSize ?? 10,
    maxWaiting: options.maxWaiting ?? 500,
    statementTimeoutMs: options.statementTimeoutMs ?? 2000,
    connectTimeoutMs: options.connectTimeoutMs ?? 800,
    applicationName: options.applicationName ?? 'platform',
    allowWeakDurability: options.allowWeakDurability ?? false,
    guardTransactions: options.guardTransactions ?? false,
    onFailure: options.onFailure ?? (() => undefined),
  }
  const serverOptions = [sessionOptions(chosen.statementTimeoutMs), parsed.searchParams.get('options') ?? '']
  parsed.searchParams.delete('options')
  return {
    ...chosen,
    address: addressOf(parsed),
    calmSize: isHere(parsed) ? Math.min(chosen.poolSize, availableParallelism() + 1) : chosen.poolSize,
    secrets: [parsed.password, decodeURIComponent(parsed.password)].filter((text) => text.length > 0),
    client: {
      connectionString: parsed.href,
      application_name: chosen.applicationName,
      options: serverOptions.join(' ').trim(),
      connectionTimeoutMillis: chosen.connectTimeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: 5000,
      // A transaction's BEGIN travels with its first statement: one round trip less.
      pipeline: true,
      types: columnTypes,
    },
  }
}

/** Limits the server keeps by itself: it must not go on for a client that is gone, nor keep its locks. */
function sessionOptions(statementTimeoutMs: number): string {
  const limits = {
    statement_timeout: serverTimeoutMs(statementTimeoutMs),
    lock_timeout: Math.round(statementTimeoutMs * 0.75),
    idle_in_transaction_session_timeout: 10_000,
    client_connection_check_interval: 2000,
    tcp_keepalives_idle: 5,
    tcp_keepalives_interval: 2,
    tcp_keepalives_count: 3,
    // Compiling a statement takes longer than any statement of a request may.
    jit: 'off',
    // A plan that was made while a table was small is kept when it has grown (ADR 0093).
    enable_seqscan: 'off',
  }
  return Object.entries(limits)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

function parseUrl(url: string): URL {
  try {
    const parsed = new URL(url)
    decodeURIComponent(parsed.password)
    if (parsed.protocol === 'postgres:' || parsed.protocol === 'postgresql:') return parsed
  } catch {
    // The text of the URL may hold a password, so the parser's own error is not passed on.
  }
  throw new DatabaseError(
    'The database URL is not valid; write postgres://user:password@host:5432/name or embedded:<directory>.',
    { unavailable: false },
  )
}

/** A host in the query is the one that counts, and a path there is that of a socket. */
function addressOf(url: URL): string {
  const host = url.searchParams.get('host')
  if (host !== null) return host
  return url.hostname === '' ? 'localhost' : `${decodeURIComponent(url.hostname)}:${url.port || '5432'}`
}

const isHere = (url: URL): boolean =>
  url.searchParams.get('host')?.startsWith('/') ?? LOOPBACK.test(url.hostname)

/** A busy server needs long to open a connection, and would need as long for the next. */
const OPEN_PATIENCE = 3

const IDLE_MS = 60_000
/** Those beyond the calm size are used for a moment only. */
const RARELY_USED_MS = 10_000

/** What the pool itself is told. */
export const poolConfig = (settings: PostgresSettings) => ({
  ...settings.client,
  // One that opens later than a statement waits is there for the next.
  connectionTimeoutMillis: OPEN_PATIENCE * settings.connectTimeoutMs,
  max: settings.poolSize,
  idleTimeoutMillis: settings.calmSize < settings.poolSize ? RARELY_USED_MS : IDLE_MS,
})

const INT8 = 20
const DATE = 1082

/** A count or sequence is a number wherever that is exact; the rare larger one stays the text it was. */
function parseInt8(text: string): number | string {
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : text
}

/**
 * How column values become JavaScript values: pg's own way, but for int8 (a number) and date (its text, it has no
 * time zone).
 */
const columnTypes = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (oid === INT8) return parseInt8
    if (oid === DATE) return (text: string) => text
    return format === 'binary' ? types.getTypeParser(oid, 'binary') : types.getTypeParser(oid, 'text')
  }) as typeof types.getTypeParser,
}
