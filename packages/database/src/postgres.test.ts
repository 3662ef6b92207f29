import { randomBytes } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { describe, expect, inject, it, vi } from 'vitest'
import { databaseConformance } from '../test/conformance.ts'
import { DatabaseError, openDatabase, raw, sql } from './index.ts'

declare module 'vitest' {
  interface ProvidedContext {
    databaseUrl: string
  }
}

databaseConformance('postgres', () =>
  openDatabase(inject('databaseUrl'), { allowWeakDurability: true, poolSize: 4 }),
)

const failureOf = (work: Promise<unknown>) => work.then(String, (error: DatabaseError) => error)

/** A database that confirms before it is safe, on a server that does not. */
async function forgetfulDatabase(): Promise<string> {
  await using admin = await openDatabase(inject('databaseUrl'), { allowWeakDurability: true, poolSize: 1 })
  const name = `forgetful_${randomBytes(6).toString('hex')}`
  await admin.many(raw(`create database ${name}`), { timeoutMs: 30_000 })
  await admin.many(raw(`alter database ${name} set synchronous_commit to off`))
  const url = new URL(inject('databaseUrl'))
  url.pathname = `/${name}`
  return url.href
}

describe('work of a leader that fails', () => {
  it('is told once, and begun again', async () => {
    const told: unknown[] = []
    await using database = await openDatabase(inject('databaseUrl'), {
      allowWeakDurability: true,
      onFailure: (failure, message) => told.push([failure, message]),
    })
    const err = new Error('no luck')
    const work = vi.fn(() => Promise.reject(err))
    await using _leading = database.whileLeader(`leader ${randomBytes(4).toString('hex')}`, work)
    await vi.waitFor(() => expect(work.mock.calls.length).toBeGreaterThan(1), { timeout: 8000 })
    expect(told).toEqual([
      [{ err, leader: expect.stringContaining('leader ') }, 'work of a leader failed, it is begun again'],
    ])
  })
})

describe('opening a database', () => {
  it('refuses a URL of another kind without repeating it', async () => {
    for (const url of ['mysql://me:hush@host/db', 'postgres://me:hu%sh@host/db', 'nonsense']) {
      const failure = await failureOf(openDatabase(url))
      expect(failure).toBeInstanceOf(DatabaseError)
      expect(String(failure)).not.toContain('hu')
    }
  })

  it('refuses a server that may lose what it confirmed, and names the setting', async () => {
    const failure = await failureOf(openDatabase(await forgetfulDatabase()))
    expect(String(failure)).toMatch(/runs with (\w+)=off and could lose .*; set \1=on\./)
  })

  it('opens while the server is down; statements fail quickly as unavailable, without the password', async () => {
    await using database = await openDatabase('postgres://me:s3cr3t@127.0.0.1:1/db')
    const startedAt = performance.now()
    const failure = await failureOf(database.many(sql`select 1`))
    expect(failure).toMatchObject({ unavailable: true, code: 'ECONNREFUSED' })
    expect(String(failure)).not.toContain('s3cr3t')
    expect(performance.now() - startedAt).toBePrompt(500)
  })

  it('closes without a complaint while the server ends its connections', async () => {
    const url = inject('databaseUrl')
    await using admin = await openDatabase(url, { allowWeakDurability: true, poolSize: 1 })
    for (let round = 0; round < 20; round += 1) {
      const database = await openDatabase(url, { allowWeakDurability: true, poolSize: 4 })
      const own = await Promise.all(
        Array.from({ length: 4 }, () =>
          database.many<{ pid: number }>(sql`select pg_backend_pid() as pid, pg_sleep(0.02)`),
        ),
      )
      const pids = own.flat().map(({ pid }) => pid)
      const ended = admin.many(sql`select pg_terminate_backend(pid) from unnest(${pids}::int[]) as pid`)
      await Promise.all([ended, database[Symbol.asyncDispose]()])
    }
  })

  it('gives up on a server that accepts connections and never speaks', async () => {
    const sockets = new Set<Socket>()
    const server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : 0
    await using database = await openDatabase(`postgres://me:pw@127.0.0.1:${port}/db`, { poolSize: 2 })
    const startedAt = performance.now()
    const failures = await Promise.all(
      Array.from({ length: 40 }, () => failureOf(database.many(sql`select 1`))),
    )
    expect(performance.now() - startedAt).toBePrompt(3000)
    for (const failure of failures) expect(failure).toMatchObject({ unavailable: true })
    for (const socket of sockets) socket.destroy()
    server.close()
  })

  it('refuses more waiting statements than its queue holds, at once', async () => {
    const options = { allowWeakDurability: true, poolSize: 1, maxWaiting: 2 }
    await using database = await openDatabase(inject('databaseUrl'), options)
    const statements = Array.from({ length: 5 }, () => failureOf(database.many(sql`select pg_sleep(0.1)`)))
    const failures = (await Promise.all(statements)).filter((result) => result instanceof DatabaseError)
    expect(failures.length).toBeGreaterThan(0)
    for (const failure of failures) expect(failure).toMatchObject({ unavailable: true })
  })
})
