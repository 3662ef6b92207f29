import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { OpsProblem } from '../terminal.ts'

/** Stands for standard output, and for standard input. */
const STANDARD = '-'

/**
 * Writes a new file that only its owner reads. It has its name once it is whole and on the disk; what failed is
 * removed.
 */
export async function writeFile<T>(path: string, write: (target: Writable) => Promise<T>): Promise<T> {
  if (path === STANDARD) return await write(process.stdout)
  if (existsSync(path)) throw new OpsProblem(`${path} is there already: name another file.`)
  const part = `${path}.part`
  try {
    const result = await write(createWriteStream(part, { mode: 0o600, flush: true }))
    await rename(part, path)
    await using directory = await open(dirname(path), 'r')
    await directory.sync()
    return result
  } catch (error) {
    await rm(part, { force: true })
    throw explained(error, path)
  }
}

/** The bytes of a file. */
export function readFile(path: string): AsyncIterable<Uint8Array> {
  if (path === STANDARD) return process.stdin
  if (!existsSync(path)) throw new OpsProblem(`${path} is not there.`)
  return createReadStream(path, { highWaterMark: 1024 * 1024 })
}

function explained(error: unknown, path: string): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return new OpsProblem(`The disk that holds ${path} is full: free some space.`)
  if (code === 'EACCES' || code === 'EROFS' || code === 'ENOENT' || code === 'EPERM')
    return new OpsProblem(`${path} can't be written (${code}): name a file in a directory that takes one.`)
  return error
}
