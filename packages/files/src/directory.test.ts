import { mkdir, mkdtemp, readdir, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filesConformance } from '../test/conformance.ts'
import { type Files, FilesError } from './files.ts'
import { openFiles } from './open-files.ts'

let directory: string
let files: Files
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'files-'))
  files = await openFiles(`file:${directory}/store`)
})
afterAll(() => rm(directory, { recursive: true }))

const file = { bytes: Buffer.from('bytes'), mediaType: 'text/plain' }

describe('the directory driver', () => {
  filesConformance(() => files)

  it('lets nobody but its owner read', async () => {
    await files.put('modes/a.txt', file)
    const modeOf = async (path: string) => (await stat(join(directory, 'store', path))).mode & 0o777
    expect(await modeOf('modes/a.txt@')).toBe(0o600)
    expect(await modeOf('modes')).toBe(0o700)
    expect(await modeOf('.')).toBe(0o700)
  })

  it('leaves nothing aside when it could not write, and says that it could not', async () => {
    await mkdir(join(directory, 'store', 'taken.txt@'))
    await expect(files.put('taken.txt', file)).rejects.toThrow(FilesError)
    expect(await readdir(join(directory, 'store', '@incoming'))).toEqual([])
  })

  it('sweeps away what a process left half written an hour ago, and nothing younger', async () => {
    const incoming = join(directory, 'store', '@incoming')
    for (const name of ['old', 'young']) await writeFile(join(incoming, name), 'half')
    await utimes(join(incoming, 'old'), 0, 0)
    await openFiles(`file://${directory}/store`)
    expect(await readdir(incoming)).toEqual(['young'])
    await rm(join(incoming, 'young'))
  })

  it('rejects in time when the disk does not answer, and when it is not there', async () => {
    const lost = await openFiles(`file:${directory}/lost`, { deadlineMs: 200 })
    await rm(join(directory, 'lost'), { recursive: true })
    await expect(lost.reach(AbortSignal.timeout(1000))).rejects.toThrow(FilesError)
    expect(await lost.get('a')).toBeUndefined()
    await writeFile(join(directory, 'no-directory'), '')
    await expect(openFiles(`file:${directory}/no-directory`)).rejects.toThrow()
  })

  it('keeps to its own directory, whatever a link beside it points at', async () => {
    await symlink('/etc', join(directory, 'store', 'link@'))
    await expect(files.get('link')).rejects.toThrow(FilesError)
    expect(await files.get('link/passwd')).toBeUndefined()
  })
})

it.each([
  '',
  'file:',
  'ftp://host/x',
  '/srv/files',
  's3://host/bucket',
  's3://k:s@host/Not_A_Bucket',
  's3://k:s@host/b-1?tls=maybe',
])('a store is not opened by %j', async (url) => {
  await expect(openFiles(url)).rejects.toThrow(/file|S3/)
})
