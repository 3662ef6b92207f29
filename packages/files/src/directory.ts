import { randomUUID } from 'node:crypto'
import { access, constants, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import {
  type Files,
  FilesError,
  requireMediaType,
  type StoredFile,
  segmentsOf,
  withinDeadline,
} from './files.ts'

/**
 * No key holds these characters: names of ours never meet one of a key, and a file never meets a folder of the same
 * name.
 */
const INCOMING = '@incoming'
const FILE_ENDING = '@'

const LEFT_BEHIND_MS = 3_600_000

/**
 * Files in a directory, readable by its owner alone. A file begins with a line that is its media type, so that both
 * are replaced in one step: written aside, flushed to the disk, renamed.
 */
export async function openDirectory(directory: string, deadlineMs: number): Promise<Files> {
  const root = resolve(directory)
  const incoming = join(root, INCOMING)
  await mkdir(incoming, { recursive: true, mode: 0o700 })
  await sweep(incoming)
  const pathOf = (key: string) => `${join(root, ...segmentsOf(key))}${FILE_ENDING}`

  return {
    driver: 'directory',
    async put(key, file) {
      const path = pathOf(key)
      requireMediaType(file.mediaType)
      await withinDeadline(deadlineMs, 'Writing a file', () => write(path, incoming, file))
    },
    async get(key) {
      const path = pathOf(key)
      return withinDeadline(deadlineMs, 'Reading a file', (signal) => read(path, signal))
    },
    async delete(key) {
      const path = pathOf(key)
      await withinDeadline(deadlineMs, 'Deleting a file', async () => {
        await rm(path, { force: true })
        await flushDirectory(dirname(path)).catch(ifMissing)
      })
    },
    reach: () =>
      withinDeadline(deadlineMs, 'Reaching the directory of files', () =>
        access(incoming, constants.R_OK | constants.W_OK),
      ),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

async function write(path: string, incoming: string, { bytes, mediaType }: StoredFile): Promise<void> {
  const aside = join(incoming, randomUUID())
  try {
    await using handle = await open(aside, 'wx', 0o600)
    await handle.writeFile(`${mediaType}\n`)
    await handle.writeFile(bytes)
    await handle.sync()
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    await rename(aside, path)
    await flushDirectory(dirname(path))
  } catch (error) {
    await rm(aside, { force: true }).catch(() => undefined)
    throw error
  }
}

async function read(path: string, signal: AbortSignal): Promise<StoredFile | undefined> {
  const whole = await readFile(path, { signal }).catch(ifMissing)
  if (whole === undefined) return undefined
  const end = whole.indexOf(0x0a)
  if (end < 0) throw new FilesError('A file of the store lacks its media type.', { unavailable: false })
  return { mediaType: whole.toString('latin1', 0, end), bytes: whole.subarray(end + 1) }
}

/** A name is only safe from a power cut once its directory is. */
async function flushDirectory(directory: string): Promise<void> {
  await using handle = await open(directory, 'r')
  await handle.sync()
}

/** Removes what a process that died left half written. */
async function sweep(incoming: string): Promise<void> {
  const before = Date.now() - LEFT_BEHIND_MS
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name)
    const found = await stat(path).catch(ifMissing)
    if (found !== undefined && found.mtimeMs < before) await rm(path, { force: true })
  }
}

function ifMissing(error: unknown): undefined {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
  throw error
}
