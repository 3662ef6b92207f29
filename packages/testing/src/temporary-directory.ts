import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const PREFIX = 'platform-tests-'

/**
 * Where all tests of a run keep what they leave, so that no run fills the disk; projects that run together share it.
 * Everyone may write there, as in /tmp: servers under test don't all run as this user.
 */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const before = process.env.TMPDIR
  if (basename(tmpdir()).startsWith(PREFIX)) return undefined
  const directory = await mkdtemp(join(tmpdir(), PREFIX))
  await chmod(directory, 0o1777)
  process.env.TMPDIR = directory
  // Programs that are started again and again compile once. Not those that run the tests: they write it when they end.
  process.env.COMPILED_PROGRAMS = join(directory, 'compiled')
  return async () => {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
    delete process.env.COMPILED_PROGRAMS
    await rm(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 })
  }
}
