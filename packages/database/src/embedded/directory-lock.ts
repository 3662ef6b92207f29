import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EmbeddedStartError, explainFileError } from './embedded-start-error.ts'
import { isAlive, startTimeOf } from './processes.ts'

/** Takes the data directory for this process; a lock left by a dead one is taken over. Returns how to give it back. */
export function lockDirectory(directory: string): () => void {
  const path = join(directory, 'lock')
  const mine = `${process.pid} ${startTimeOf(process.pid) ?? ''}\n`
  if (!create(path, mine, directory)) takeOver(path, mine, directory)
  return () => {
    if (read(path) === mine) rmSync(path, { force: true })
  }
}

/** True while a live process has the data directory. */
export const isLocked = (directory: string): boolean => isHeld(read(join(directory, 'lock')))

function takeOver(path: string, mine: string, directory: string): void {
  const found = read(path)
  if (isHeld(found)) throw inUse(directory, found)
  // Renaming is atomic. When another process was faster, what was moved away is its lock: it is put back.
  const aside = `${path}.${randomBytes(4).toString('hex')}`
  try {
    renameSync(path, aside)
  } catch {
    // The other process has moved it already.
  }
  const moved = read(aside)
  if (moved !== '' && moved !== found) linkSync(aside, path)
  rmSync(aside, { force: true })
  if (!create(path, mine, directory)) throw inUse(directory, read(path))
}

function create(path: string, mine: string, directory: string): boolean {
  try {
    writeFileSync(path, mine, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw explainFileError(error, directory)
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

/** A process id alone isn't enough: after a restart of the machine another process has it. */
function isHeld(text: string): boolean {
  const [pid = '', startTime = ''] = text.trim().split(' ')
  if (!/^[1-9]\d*$/.test(pid) || !isAlive(Number(pid))) return false
  return startTime === '' || startTimeOf(Number(pid)) === startTime
}

const inUse = (directory: string, text: string): EmbeddedStartError =>
  new EmbeddedStartError(
    `The data directory ${directory} is in use by another running instance (pid ${text.split(' ')[0]}); ` +
      'stop that one or choose another directory.',
  )
