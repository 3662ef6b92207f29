import { connect, createServer, type Socket } from 'node:net'
import { describe, expect, inject, it, vi } from 'vitest'
import { unique } from '../test/conformance-tools.ts'
import { type Database, HolderWatch, openDatabase, sql } from './index.ts'
import { PRESENCE_LOCK } from './presence.ts'

const open = (url = inject('databaseUrl')) => openDatabase(url, { allowWeakDurability: true, poolSize: 2 })

async function announced(database: Database): Promise<number> {
  return await vi.waitFor(() => database.presence().id() ?? Promise.reject(new Error('not yet')), {
    timeout: 10_000,
  })
}

/** A clock that a test moves, and looks a second apart by it. */
function watchOf(database: Database, holders: () => Promise<number[]>) {
  const clock = { now: 10_000 }
  const watch = new HolderWatch(database, holders, 3000, () => clock.now)
  const lookFor = async (seconds: number) => {
    for (let second = 1; second < seconds; second += 1) {
      await watch.look()
      clock.now += 1000
    }
    return await watch.look()
  }
  return { clock, watch, lookFor }
}

const present = async (database: Database, id: number) =>
  await database.many(
    sql`select 1 from pg_locks where classid = ${PRESENCE_LOCK}::oid and objid = ${id}::bigint::oid`,
  )

/** Passes everything on, but tells clients another process of the server than their own, as poolers do. */
async function startPooler(): Promise<{ url: string } & AsyncDisposable> {
  const target = new URL(inject('databaseUrl'))
  const port = Number(target.port)
  const hostname = target.hostname
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, hostname)
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => undefined))
    client.pipe(upstream)
    upstream.on('data', (data: Buffer) => {
      // BackendKeyData: K, a length of 12, the process, the key.
      const at = data.indexOf(Buffer.from([0x4b, 0, 0, 0, 12]))
      if (at >= 0) data.writeInt32BE(77, at + 5)
      client.write(data)
    })
    upstream.on('close', () => client.destroy())
    client.on('close', () => upstream.destroy())
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  target.port = String(typeof address === 'object' ? address?.port : 0)
  target.hostname = '127.0.0.1'
  return {
    url: target.href,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('the presence of a process', () => {
  it('ends with the process, and is noticed as gone only after a while', async () => {
    await using looking = await open()
    const other = await open()
    const holder = await announced(other)
    const { lookFor } = watchOf(looking, async () => [holder])
    expect(await lookFor(10)).toEqual({ gone: [], isSettled: true })
    await other[Symbol.asyncDispose]()
    await vi.waitFor(async () => expect(await present(looking, holder)).toEqual([]), { timeout: 5000 })
    expect((await lookFor(2)).gone).toEqual([])
    expect((await lookFor(3)).gone).toEqual([holder])
  })

  it('is the same when the connection was lost, and who holds something is told', async () => {
    await using looking = await open()
    await using other = await open()
    const holder = await announced(other)
    const onLost = vi.fn()
    using _told = other.presence().onLost(onLost)
    const { lookFor } = watchOf(looking, async () => [holder])
    await lookFor(2)
    await looking.many(sql`select pg_terminate_backend(pid) from pg_locks
      where classid = ${PRESENCE_LOCK}::oid and objid = ${holder}::bigint::oid`)
    await vi.waitFor(() => expect(onLost).toHaveBeenCalledOnce(), { timeout: 5000 })
    expect(await announced(other)).toBe(holder)
    expect((await lookFor(5)).gone).toEqual([])
  })

  it('is not missed while the database is away, nor by one who looks too late', async () => {
    await using looking = await open()
    let isAway = false
    const missing = 12_345
    const { clock, watch, lookFor } = watchOf(looking, async () => {
      if (isAway) throw new Error('away')
      return [missing]
    })
    await lookFor(2)
    isAway = true
    await expect(watch.look()).rejects.toThrow('away')
    isAway = false
    expect(await lookFor(2)).toEqual({ gone: [], isSettled: false })
    clock.now += 60_000
    expect(await lookFor(2)).toEqual({ gone: [], isSettled: false })
    expect((await lookFor(4)).gone).toEqual([missing])
    expect((await lookFor(6)).isSettled).toBe(true)
  })

  it('is not announced through a pooler, whose connections outlive the process', async () => {
    await using pooler = await startPooler()
    await using database = await open(pooler.url)
    const channel = unique('channel')
    const onNotice = vi.fn()
    await using _listening = await database.listen(channel, onNotice)
    await database.many(sql`select pg_notify(${channel}, '')`)
    await vi.waitFor(() => expect(onNotice).toHaveBeenCalledOnce(), { timeout: 5000 })
    expect(database.presence().id()).toBeNull()
  })
})
