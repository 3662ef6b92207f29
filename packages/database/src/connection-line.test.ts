import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Pool, type PoolConfig } from 'pg'
import { expect, inject, it, onTestFinished, vi } from 'vitest'
import { ConnectionLine } from './connection-line.ts'
import { openDatabase, sql } from './index.ts'

/** A pool that ends with its test, however that ends: lost connections of one that does not fail the whole run. */
function poolOf(config: PoolConfig): Pool {
  const pool = new Pool({ connectionString: inject('databaseUrl'), ...config })
  pool.on('error', () => undefined)
  pool.on('connect', (client) => void client.on('error', () => undefined))
  onTestFinished(() => void pool.end())
  return pool
}

/** Passes on what comes by its first connections; later ones are taken and get no answer before `open` is called. */
async function startDoor(url: URL, atOnce: number) {
  const sockets: Socket[] = []
  const held: Socket[] = []
  const join = (socket: Socket) => {
    const server = connect(Number(url.port), url.hostname)
    sockets.push(server)
    socket.pipe(server).pipe(socket)
    for (const one of [socket, server]) one.on('error', () => undefined)
  }
  const door = createServer((socket) => {
    sockets.push(socket)
    if (sockets.length <= 2 * atOnce) join(socket)
    else held.push(socket)
  })
  await once(door.listen(0, '127.0.0.1'), 'listening')
  const through = new URL(url)
  through.host = `127.0.0.1:${(door.address() as AddressInfo).port}`
  return {
    url: through.href,
    held,
    open: () => held.splice(0).map(join),
    [Symbol.dispose]: () => {
      door.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

const options = { allowWeakDurability: true, poolSize: 4 }

it('a statement takes the first connection that is free, though another is opened for it', async () => {
  using door = await startDoor(new URL(inject('databaseUrl')), 1)
  await using database = await openDatabase(door.url, options)
  const startedAt = performance.now()
  const [, ...answers] = await Promise.all([
    database.many(sql`select pg_sleep(0.2)`),
    ...[1, 2, 3, 4, 5].map((n) => database.many(sql`select ${n}::int as n`)),
  ])
  expect(performance.now() - startedAt).toBePrompt(700)
  expect(answers).toEqual([1, 2, 3, 4, 5].map((n) => [{ n }]))
  expect(database.load()).toMatchObject({ waiting: 0, active: 3, idle: 1 })
})

it('a connection that is open later than a statement waits is there for the next', async () => {
  using door = await startDoor(new URL(inject('databaseUrl')), 1)
  await using database = await openDatabase(door.url, options)
  const long = database.many(sql`select pg_sleep(1.5)`)
  await expect(database.many(sql`select 1`)).rejects.toMatchObject({ unavailable: true })
  expect(door.held).toHaveLength(1)
  door.open()
  expect(await database.many(sql`select 1 as n`)).toEqual([{ n: 1 }])
  await long
})

it('no more connections are asked for than there are waiting, however many callers are served meanwhile', async () => {
  const pool = poolOf({ max: 2, connectionTimeoutMillis: 10_000 })
  const line = new ConnectionLine(pool)
  let mostAsked = 0
  const callers = Array.from({ length: 8 }, async () => {
    for (let n = 0; n < 50; n += 1) {
      const client = await line.take(10_000)
      mostAsked = Math.max(mostAsked, pool.waitingCount)
      await client.query('select 1')
      line.giveBack(client, false)
    }
  })
  await Promise.all(callers)
  expect(mostAsked).toBeLessThanOrEqual(callers.length)
  // What was asked for and is no longer needed goes back a turn of the event loop later.
  await vi.waitFor(() => expect([line.length, pool.waitingCount]).toEqual([0, 0]))
})

it('who waits longer than the pool does is served all the same, within a limit of his own', async () => {
  const pool = poolOf({ max: 1, connectionTimeoutMillis: 250 })
  const line = new ConnectionLine(pool)
  const held = await line.take(5000)
  const waiting = line.take(5000)
  const late = line.take(700)
  await expect(late).rejects.toThrow('no connection was free')
  line.giveBack(held, false)
  line.giveBack(await waiting, false)
})

it('more connections than the calm size are used only for who has waited for a while', async () => {
  const pool = poolOf({ max: 4 })
  const line = new ConnectionLine(pool, 2)
  // Somebody waits all the time, and nobody for long, unless the machine stands still.
  const until = performance.now() + 500
  let longWaits = 0
  const crowd = Array.from({ length: 8 }, async () => {
    while (performance.now() < until) {
      const since = performance.now()
      const client = await line.take(10_000)
      longWaits += Math.floor((performance.now() - since) / 50)
      await client.query('select 1')
      line.giveBack(client, false)
    }
  })
  await Promise.all(crowd)
  expect(pool.totalCount).toBeLessThanOrEqual(2 + longWaits)

  const held = await Promise.all([1, 2, 3].map(() => line.take(10_000)))
  const startedAt = performance.now()
  const fourth = await line.take(10_000)
  expect(performance.now() - startedAt).toBePrompt(500)
  expect(pool.totalCount).toBe(4)
  for (const client of [...held, fourth]) line.giveBack(client, false)
})

it('who waits gets another connection where one that is used up was to be given back', async () => {
  const pool = poolOf({ max: 4 })
  const line = new ConnectionLine(pool, 1)
  const first = await line.take(10_000)
  const waiting = line.take(10_000)
  line.giveBack(first, true)
  line.giveBack(await waiting, false)
  expect([line.length, pool.totalCount]).toEqual([0, 1])
})
