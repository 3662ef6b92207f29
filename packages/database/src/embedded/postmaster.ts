import { type ChildProcess, spawn } from 'node:child_process'
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs'
import { join } from 'node:path'
import type { ClusterPlace } from './account.ts'
import { explainSpawn, filesOf, spawnAs } from './cluster.ts'
import { EmbeddedStartError } from './embedded-start-error.ts'
import { followGuarded, guarded } from './guard.ts'
import { isReady, stopPostmaster } from './orphan.ts'
import { waitUntil } from './processes.ts'

const START_MS = 60_000
const MAX_LOG_BYTES = 5_000_000

/** A running postmaster, child of this process. */
export interface Postmaster {
  pid: number
  /** Resolves when the process has ended, for any reason. */
  ended: Promise<void>
  stop(): Promise<void>
}

/** The port was taken between choosing and using it. */
export class PortTakenError extends EmbeddedStartError {}

/** Where the data is, no socket can be: some file systems have none. */
export class NoSocketError extends EmbeddedStartError {}

/** Starts the server and waits until it accepts connections; after a crash that includes its recovery. */
export async function startPostmaster(place: ClusterPlace, choices: ServerChoices): Promise<Postmaster> {
  const files = filesOf(place)
  const logFile = join(place.directory, 'postgres.log')
  rotate(logFile)
  removeSockets(place.directory)
  const logStart = sizeOf(logFile)
  const child = launch(place, files, logFile, choices)
  const state = { over: false, failure: undefined as Error | undefined }
  const ended = new Promise<void>((resolve) => {
    const end = (error?: Error) => {
      state.over = true
      state.failure = error
      resolve()
    }
    child.once('error', end)
    child.once('exit', () => end())
  })
  const pid = child.pid ?? 0
  await waitUntil(() => state.over || isReady(files, pid), START_MS, 5)
  if (state.failure !== undefined) throw explainSpawn(state.failure)
  if (state.over) throw explainExit(readFileSync(logFile, 'utf8').slice(logStart), place, logFile)
  // The process may end without waiting for its server: the guard ends it then.
  child.unref()
  return { pid, ended, stop: () => stopPostmaster(files, pid, () => state.over) }
}

function launch(place: ClusterPlace, files: string, logFile: string, choices: ServerChoices): ChildProcess {
  const log = openSync(logFile, 'a', 0o600)
  try {
    const args = ['-D', files, ...serverSettings(choices)]
    const child = spawn(...guarded(join(place.binaries, 'bin', 'postgres'), args), {
      ...spawnAs(place),
      stdio: ['pipe', log, log],
    })
    followGuarded(child)
    return child
  } finally {
    closeSync(log)
  }
}

function explainExit(output: string, place: ClusterPlace, logFile: string): Error {
  if (/could not create any Unix-domain sockets/i.test(output)) {
    return new NoSocketError(`PostgreSQL can't make a socket in ${place.directory}.`)
  }
  if (/Address already in use|could not create any TCP\/IP sockets/i.test(output)) {
    return new PortTakenError(`The port of the database in ${place.directory} is taken.`)
  }
  if (/No space left on device/i.test(output)) {
    return new EmbeddedStartError(
      `The disk that holds ${place.directory} is full; free some space and start again.`,
    )
  }
  if (/pre-existing shared memory|lock file .* already exists/i.test(output)) {
    return new EmbeddedStartError(`Another PostgreSQL works in ${place.directory}; stop it and start again.`)
  }
  const reason =
    /(?:FATAL|PANIC): +(.*)/.exec(output)?.[1] ?? output.trim().split('\n').at(-1) ?? 'no reason given'
  return new EmbeddedStartError(`PostgreSQL could not start: ${reason}; ${logFile} tells more.`)
}

/** Keeps one old log beside the current one. */
function rotate(logFile: string): void {
  if (sizeOf(logFile) > MAX_LOG_BYTES) renameSync(logFile, `${logFile}.1`)
}

/** Empties a log that grows while the server runs: it appends, so it goes on at the start. */
export function trimLog(place: ClusterPlace): void {
  const logFile = join(place.directory, 'postgres.log')
  if (sizeOf(logFile) > MAX_LOG_BYTES) truncateSync(logFile)
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** What a socket is called, and with `.lock` the file of who made it. */
const SOCKET = '.s.PGSQL.'
/** What a path of a socket may have, with the 0 behind it, on each system that there are binaries for. */
const SOCKET_PATH_MAX_BYTES = 104
const PORT_MAX = '65535'

/** Where PostgreSQL makes its socket in a directory. */
export const socketIn = (directory: string, port: number | string): string =>
  join(directory, `${SOCKET}${port}`)

/** The directory itself, or empty where the path of a socket in it would be too long. */
export const socketDirectoryFor = (directory: string): string =>
  Buffer.byteLength(socketIn(directory, PORT_MAX)) < SOCKET_PATH_MAX_BYTES ? directory : ''

/** Nobody else works here: what is left is of a server that was killed, and may be taken for one that runs. */
function removeSockets(directory: string): void {
  for (const entry of readdirSync(directory, { withFileTypes: true }))
    if (entry.name.startsWith(SOCKET) && !entry.isDirectory())
      rmSync(join(directory, entry.name), { force: true })
}

/** What a caller may choose about the server. */
export interface ServerChoices {
  port: number
  /** Where it listens by a socket, too; empty for nowhere. */
  socketDirectory: string
  fsync: boolean
  maxConnections: number
}

/**
 * A small server: the whole platform with it stays below 400 MB. Given as arguments, so that no file has to be
 * edited.
 */
function serverSettings({ port, socketDirectory, fsync, maxConnections }: ServerChoices): string[] {
  const durability = fsync ? {} : { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    // Quoted: a comma in it would begin another directory.
    unix_socket_directories: socketDirectory === '' ? '' : `"${socketDirectory.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    max_connections: maxConnections,
    shared_buffers: '48MB',
    work_mem: '4MB',
    maintenance_work_mem: '32MB',
    temp_buffers: '1MB',
    huge_pages: 'off',
    jit: 'off',
    io_method: 'sync',
    max_worker_processes: 2,
    max_parallel_workers: 0,
    max_parallel_workers_per_gather: 0,
    autovacuum_max_workers: 2,
    wal_level: 'minimal',
    max_wal_senders: 0,
    min_wal_size: '64MB',
    max_wal_size: '1GB',
    checkpoint_completion_target: 0.9,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_line_prefix: '%m [%p] ',
    log_checkpoints: 'off',
    log_min_messages: 'warning',
    // Statements and details show the data of users, which must not stand in a log.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    ...durability,
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
