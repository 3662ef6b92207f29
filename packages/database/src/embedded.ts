import { existsSync, lstatSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { escapeIdentifier } from 'pg'
import { openConnection } from './connection.ts'
import { type ClusterPlace, placeOf, preparePlace } from './embedded/account.ts'
import { findBinaries } from './embedded/binaries.ts'
import { filesOf, OWNER, passwordOf, prepareCluster } from './embedded/cluster.ts'
import { isLocked, lockDirectory } from './embedded/directory-lock.ts'
import { explainFileError } from './embedded/embedded-start-error.ts'
import { endOrphan } from './embedded/orphan.ts'
import {
  NoSocketError,
  PortTakenError,
  type Postmaster,
  type ServerChoices,
  socketDirectoryFor,
  socketIn,
  startPostmaster,
} from './embedded/postmaster.ts'
import { type SupervisedServer, supervise } from './embedded/supervise.ts'

export interface EmbeddedOptions {
  /** Off loses data at a power cut; for tests only. */
  fsync?: boolean
  /** Default 60. */
  maxConnections?: number
  /** Called with what an operator should know, for example where the data went. */
  log?: (message: string) => void
  /** Called when the server has ended or can't be started again, with the reason. */
  warn?: (message: string) => void
}

/** A PostgreSQL of our own. */
export interface EmbeddedServer {
  /** Over TCP, with the password; not for logs. */
  url: string
  /** As `url`, by the socket beside the data where there is one: a message costs half of one over TCP. */
  localUrl: string
  port: number
  /** Where the data really is: as root it may not be where it was asked for. */
  directory: string
  pid(): number
  stop(): Promise<void>
}

/**
 * Starts the PostgreSQL that came from npm with its data in `directory`, made there at the first start. Ends a server
 * that a killed predecessor left, refuses a directory that another live instance uses. Every foreseeable failure is an
 * EmbeddedStartError.
 */
export async function startEmbedded(
  directory: string,
  options: EmbeddedOptions = {},
): Promise<EmbeddedServer> {
  const log = options.log ?? (() => undefined)
  const binaries = await findBinaries()
  const place = await preparePlace(directory, binaries, log)
  const unlock = lockDirectory(place.directory)
  try {
    await endOrphan(filesOf(place))
    const fsync = options.fsync ?? true
    const password = await prepareCluster(place, binaries, fsync)
    const { first, choices } = await startOnFreePort(place, {
      fsync,
      maxConnections: options.maxConnections ?? 60,
    })
    const server = supervise(first, place, choices, options.warn ?? log)
    const url = urlOf(choices.port, password, OWNER)
    await createDatabase(place, urlOf(choices.port, password, 'postgres'), server)
    const stop = () => server.stop().finally(unlock)
    const localUrl = localUrlOf(url, place, choices.port)
    return { url, localUrl, port: choices.port, directory: place.directory, pid: server.pid, stop }
  } catch (error) {
    unlock()
    throw explainFileError(error, place.directory)
  }
}

/** A PostgreSQL of this or of another process. */
export interface ReachedServer extends AsyncDisposable {
  /** With the password; not for logs. */
  url: string
  /** True where another process had started it. */
  isElsewhere: boolean
}

/**
 * Reaches the PostgreSQL in `directory` beside the platform that runs it, or starts it where none does; disposing
 * stops it in the second case only. Answers undefined where the directory holds no database.
 */
export async function reachEmbedded(
  directory: string,
  log: (message: string) => void = () => undefined,
): Promise<ReachedServer | undefined> {
  const place = await placeOf(directory, await findBinaries())
  if (!existsSync(join(filesOf(place), 'PG_VERSION'))) return undefined
  if (!isLocked(place.directory)) {
    const server = await startEmbedded(directory, { log })
    return { url: server.localUrl, isElsewhere: false, [Symbol.asyncDispose]: () => server.stop() }
  }
  const port = Number(await readFile(join(place.directory, 'port'), 'utf8'))
  const url = localUrlOf(urlOf(port, await passwordOf(place), OWNER), place, port)
  return { url, isElsewhere: true, [Symbol.asyncDispose]: async () => undefined }
}

type GivenChoices = Omit<ServerChoices, 'port' | 'socketDirectory'>

interface Started {
  first: Postmaster
  choices: ServerChoices
}

async function startOnFreePort(place: ClusterPlace, given: GivenChoices): Promise<Started> {
  const socketDirectory = socketDirectoryFor(place.directory)
  try {
    return await startWith(place, { ...given, socketDirectory })
  } catch (error) {
    if (error instanceof NoSocketError) return await startWith(place, { ...given, socketDirectory: '' })
    throw error
  }
}

async function startWith(place: ClusterPlace, given: Omit<ServerChoices, 'port'>): Promise<Started> {
  let taken: number | undefined
  for (;;) {
    const choices = { ...given, port: await choosePort(place.directory, taken) }
    try {
      return { first: await startPostmaster(place, choices), choices }
    } catch (error) {
      if (!(error instanceof PortTakenError) || taken !== undefined) throw error
      taken = choices.port
    }
  }
}

const urlOf = (port: number, password: string, database: string): string =>
  `postgres://${OWNER}:${password}@127.0.0.1:${port}/${database}`

/** `pg` and programs of PostgreSQL take a path in place of a host from the query. */
const localUrlOf = (url: string, { directory }: ClusterPlace, port: number): string =>
  lstatSync(socketIn(directory, port), { throwIfNoEntry: false })?.isSocket() === true
    ? `${url}?host=${encodeURIComponent(directory)}`
    : url

/** Once per cluster; a mark beside it spares the question at every other start. */
async function createDatabase(
  place: ClusterPlace,
  adminUrl: string,
  server: SupervisedServer,
): Promise<void> {
  const mark = join(place.directory, 'created')
  if (existsSync(mark)) return
  try {
    const connection = await openConnection({ connectionString: adminUrl, connectionTimeoutMillis: 5000 })
    const found = await connection.query('select 1 from pg_database where datname = $1', [OWNER])
    if (found.rowCount === 0) await connection.query(`create database ${escapeIdentifier(OWNER)}`)
    await connection.end()
    await writeFile(mark, '')
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** The port of the last start while it is free, so that it stays the same across restarts; otherwise a new one. */
async function choosePort(directory: string, avoid?: number): Promise<number> {
  const file = join(directory, 'port')
  const last = Number(await readFile(file, 'utf8').catch(() => ''))
  const isUsable = Number.isInteger(last) && last > 1023 && last < 65_536 && last !== avoid
  if (isUsable && (await listenOn(last)) !== undefined) return last
  const port = (await listenOn(0)) ?? 0
  await writeFile(file, `${port}\n`)
  return port
}

/** Listens for a moment and returns the port, or undefined when it is taken. */
function listenOn(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined))
    })
  })
}
