import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClusterPlace } from './account.ts'
import type { Binaries } from './binaries.ts'
import { EmbeddedStartError, explainFileError } from './embedded-start-error.ts'

/** The role that owns everything, and the name of its database. */
export const OWNER = 'platform'

/** Where the files of the cluster are. */
export const filesOf = (place: ClusterPlace): string => join(place.directory, 'pgdata')

/** Makes the cluster unless it is there. Returns the owner's password, which only the owner can read beside it. */
export async function prepareCluster(
  place: ClusterPlace,
  binaries: Binaries,
  sync: boolean,
): Promise<string> {
  const files = filesOf(place)
  try {
    if (existsSync(join(files, 'PG_VERSION'))) await checkVersion(files, binaries)
    else await makeCluster(place, files, sync)
    return await passwordOf(place)
  } catch (error) {
    throw explainFileError(error, place.directory)
  }
}

/** The owner's password, as it is kept beside the cluster. */
export async function passwordOf(place: ClusterPlace): Promise<string> {
  const file = join(place.directory, 'password')
  const password = (await readFile(file, 'utf8').catch(() => '')).trim()
  if (password !== '') return password
  throw new EmbeddedStartError(
    `The password of the embedded database is missing; put ${file} back from a backup.`,
  )
}

async function checkVersion(files: string, binaries: Binaries): Promise<void> {
  const version = (await readFile(join(files, 'PG_VERSION'), 'utf8')).trim()
  if (version === binaries.major) return
  throw new EmbeddedStartError(
    `The data in ${files} was made by PostgreSQL ${version}, but this program brings ${binaries.major}; ` +
      'start the version that made it and move the data with a backup, or choose another directory.',
  )
}

/** Made under another name first: a half-made cluster left by a kill is deleted, never started. */
async function makeCluster(place: ClusterPlace, files: string, sync: boolean): Promise<void> {
  const draft = `${files}.new`
  const passwordFile = join(place.directory, 'password')
  await rm(draft, { recursive: true, force: true })
  await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 })
  if (place.account !== undefined) await chown(passwordFile, place.account.uid, place.account.gid)
  const initdb = await run(place, 'initdb', [
    ...['-D', draft, '-U', OWNER, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8'],
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-instructions'],
    ...(sync ? [] : ['--no-sync']),
  ])
  if (initdb.code !== 0) throw explainInitdb(initdb.output, place)
  await rename(draft, files)
}

function explainInitdb(output: string, place: ClusterPlace): Error {
  // A disk that is full after half a block is told by the hint alone.
  if (/No space left on device|Check free disk space/i.test(output)) {
    return new EmbeddedStartError(
      `The disk that holds ${place.directory} is full; free some space and start again.`,
    )
  }
  if (/could not look up effective user ID/i.test(output)) {
    return new EmbeddedStartError(
      'PostgreSQL needs the user it runs as to have an entry in /etc/passwd; ' +
        'run as a user that has one, or set DATABASE_URL.',
    )
  }
  if (/error while loading shared libraries/i.test(output)) {
    return new EmbeddedStartError(
      'The installed PostgreSQL is incomplete; run the installation of the packages again.',
    )
  }
  const reason =
    output.split('\n').find((line) => /error:|FATAL:/.test(line)) ?? output.trim().split('\n').at(-1) ?? ''
  return new EmbeddedStartError(
    `PostgreSQL could not make its data directory in ${place.directory}: ${reason.trim()}.`,
  )
}

function run(
  place: ClusterPlace,
  program: string,
  args: string[],
): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn(join(place.binaries, 'bin', program), args, {
      ...spawnAs(place),
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk.toString()
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    child.on('error', (cause) => reject(explainSpawn(cause)))
    child.on('close', (code) => resolve({ code, output }))
  })
}

/** Programs for another C library exist but can't be executed. */
export const explainSpawn = (cause: Error): EmbeddedStartError =>
  new EmbeddedStartError(
    'The installed PostgreSQL can not be executed on this system (it needs glibc); ' +
      'set DATABASE_URL to a PostgreSQL 15 or newer.',
    { cause },
  )

/**
 * As whom and from where PostgreSQL's programs run: in a session of their own, so that Ctrl-C reaches this process
 * only.
 */
export const spawnAs = (place: ClusterPlace) => ({
  ...(place.account ?? {}),
  cwd: '/',
  detached: true,
  env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
})
