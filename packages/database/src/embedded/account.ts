import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, chown, cp, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Binaries } from './binaries.ts'
import { explainFileError } from './embedded-start-error.ts'

/** PostgreSQL refuses to run as root; the user "nobody" owns nothing and exists everywhere. */
const NOBODY = 65_534
const SHARED = '/var/lib/platform'

/** As whom PostgreSQL runs; undefined is the user of this process. */
export interface Account {
  uid: number
  gid: number
}

/** Where data and programs are, so that the user who runs PostgreSQL reaches both. */
export interface ClusterPlace {
  account: Account | undefined
  /** With the database files and, beside them, port, password, lock and log. */
  directory: string
  binaries: string
}

/**
 * Makes the directory and decides who runs PostgreSQL. Root gives both to the user "nobody"; what that user can't
 * reach (a clone in root's closed home) goes below /var/lib/platform instead, which `log` reports.
 */
export async function preparePlace(
  wanted: string,
  binaries: Binaries,
  log: (message: string) => void,
): Promise<ClusterPlace> {
  const place = await placeOf(wanted, binaries)
  const { directory, account } = place
  if (directory !== resolve(wanted)) {
    await makeShared(directory)
    log(`The user that runs PostgreSQL can't enter ${resolve(wanted)}, so its data is kept in ${directory}.`)
  }
  await makeDirectory(directory, account)
  if (account === undefined) return place
  const reachable = await canExecute(join(binaries.directory, 'bin', 'postgres'))
  return { account, directory, binaries: reachable ? binaries.directory : await copyBinaries(binaries, log) }
}

/** Where data asked for in `wanted` is; makes nothing. */
export async function placeOf(wanted: string, binaries: Binaries): Promise<ClusterPlace> {
  const asked = resolve(wanted)
  if (process.getuid?.() !== 0) return { account: undefined, directory: asked, binaries: binaries.directory }
  const account = { uid: NOBODY, gid: NOBODY }
  const directory = (await canReach(dirname(asked))) ? asked : sharedPlaceOf(asked)
  return { account, directory, binaries: binaries.directory }
}

async function makeDirectory(directory: string, account: Account | undefined): Promise<void> {
  try {
    await makeParents(directory)
    if (account === undefined) return
    await chown(directory, account.uid, account.gid)
    await chmod(directory, 0o700)
  } catch (error) {
    throw explainFileError(error, directory)
  }
}

/** Like a recursive mkdir, which never ends in /proc and reports ENOENT for a read-only file system. */
async function makeParents(directory: string): Promise<void> {
  const isThere = async () => (await stat(directory).catch(() => undefined))?.isDirectory() === true
  if (await isThere()) return
  if (directory !== dirname(directory)) await makeParents(dirname(directory))
  await mkdir(directory).catch(async (error: unknown) => {
    if (!(await isThere())) throw error
  })
}

/** True when a stranger may enter every directory on the way; what doesn't exist yet will be made so. */
async function canReach(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined)
    if (found?.isDirectory() && found.uid !== NOBODY && (found.mode & 0o001) === 0) return false
    if (at === dirname(at)) return true
  }
}

/** A strict umask at installation may also have closed the program itself. */
async function canExecute(file: string): Promise<boolean> {
  const { mode } = await stat(file)
  return (mode & 0o005) === 0o005 && (await canReach(dirname(file)))
}

const sharedPlaceOf = (asked: string): string =>
  join(SHARED, createHash('sha256').update(asked).digest('hex').slice(0, 16))

async function copyBinaries(binaries: Binaries, log: (message: string) => void): Promise<string> {
  const target = join(SHARED, `postgresql-${binaries.version}-${process.arch}`)
  await makeShared(target)
  if (existsSync(target)) return target
  const draft = `${target}.${randomBytes(4).toString('hex')}`
  try {
    await cp(binaries.directory, draft, { recursive: true, verbatimSymlinks: true })
    await openToAll(draft)
    // Another instance may have been faster; its copy is as good.
    await rename(draft, target).catch((error: unknown) => {
      if (!existsSync(target)) throw error
    })
  } catch (error) {
    throw explainFileError(error, target)
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  log(`The user that runs PostgreSQL can't enter ${binaries.directory}, so a copy is kept in ${target}.`)
  return target
}

async function makeShared(target: string): Promise<void> {
  try {
    await makeParents(SHARED)
    await chmod(SHARED, 0o755)
  } catch (error) {
    throw explainFileError(error, target)
  }
}

/** A strict umask at installation must not keep PostgreSQL from its own libraries. */
async function openToAll(directory: string): Promise<void> {
  await chmod(directory, 0o755)
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) await chmod(join(entry.parentPath, entry.name), 0o755)
  }
}
