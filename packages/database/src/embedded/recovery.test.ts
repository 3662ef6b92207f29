import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { end, groupMembers, refusalOf, startElsewhere } from '../../test/start-elsewhere.ts'
import { EmbeddedStartError, openDatabase, sql, startEmbedded } from '../index.ts'
import { processesIn, signal, waitUntil } from './processes.ts'

describe('the embedded PostgreSQL and another instance', () => {
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'recovery with space-'))
    await chmod(home, 0o755)
  })
  afterAll(() => rm(home, { recursive: true, force: true }))

  it('refuses a directory that another instance uses, names its pid and disturbs nothing', async () => {
    const directory = join(home, 'shared')
    const { child, postmaster } = await startElsewhere(directory)
    const refusal = await refusalOf(directory)
    expect(refusal).toBeInstanceOf(EmbeddedStartError)
    expect(refusal.message).toContain(`is in use by another running instance (pid ${child.pid})`)
    expect(processesIn(join(directory, 'pgdata'))).toContain(postmaster)
    expect(await end(child, 'SIGTERM')).toBe(0)
    expect(processesIn(join(directory, 'pgdata'))).toEqual([])
  })

  it('ends with the instance that started it, however that ends, also when it is frozen', async () => {
    const directory = join(home, 'guarded')
    const files = join(directory, 'pgdata')
    const ends = [['SIGKILL'], ['SIGABRT'], ['SIGSTOP', 'SIGKILL']] as const
    for (const [first, second] of ends) {
      const { child } = await startElsewhere(directory)
      if (second !== undefined) for (const pid of processesIn(files)) signal(pid, first)
      await end(child, second ?? first)
      expect(await waitUntil(() => processesIn(files).length === 0, 20_000), first).toBe(true)
    }
    const server = await startEmbedded(directory)
    await server.stop()
    expect(await waitUntil(() => groupMembers(server.pid()).length === 0, 5000)).toBe(true)
  })

  it('is watched by nothing any more when it ended by itself and is started again', async () => {
    const { child, postmaster } = await startElsewhere(join(home, 'guarded twice'))
    signal(postmaster, 'SIGKILL')
    expect(await waitUntil(() => groupMembers(postmaster).length === 0, 20_000)).toBe(true)
    expect(await end(child, 'SIGTERM')).toBe(0)
  })

  it('recovers the server and the lock a killed instance left, also when the server is frozen', async () => {
    const directory = join(home, 'orphan')
    for (const isFrozen of [false, true]) {
      const { child, postmaster } = await startElsewhere(directory)
      for (const pid of groupMembers(postmaster)) if (pid !== postmaster) signal(pid, 'SIGKILL')
      await end(child, 'SIGKILL')
      expect(processesIn(join(directory, 'pgdata'))).toContain(postmaster)
      if (isFrozen) for (const pid of processesIn(join(directory, 'pgdata'))) signal(pid, 'SIGSTOP')
    }
    const server = await startEmbedded(directory)
    await using database = await openDatabase(server.url)
    expect(await database.many(sql`select n from kept`)).toEqual([{ n: 1 }, { n: 1 }])
    await database[Symbol.asyncDispose]()
    await server.stop()
  })

  it('starts after everything was killed, and removes a half-made cluster', async () => {
    const directory = join(home, 'killed')
    const { child } = await startElsewhere(directory)
    await end(child, 'SIGKILL')
    const files = join(directory, 'pgdata')
    for (const pid of processesIn(files)) signal(pid, 'SIGKILL')
    await waitUntil(() => processesIn(files).length === 0, 2000)
    await mkdir(`${files}.new`)
    await writeFile(join(files, 'postmaster.pid'), `${process.pid}\n${files}\n`)
    const server = await startEmbedded(directory)
    await using database = await openDatabase(server.url)
    expect(await database.many(sql`select n from kept`)).toEqual([{ n: 1 }])
    await database[Symbol.asyncDispose]()
    await server.stop()
  })
})
