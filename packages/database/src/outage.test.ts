import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StoreBudget, withStoreBudget } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { processesIn, signal } from './embedded/processes.ts'
import {
  type Database,
  type DatabaseError,
  type EmbeddedServer,
  groupCommit,
  openDatabase,
  sql,
  startEmbedded,
} from './index.ts'

/** What happens to a handle when its own server freezes or dies under load. */
describe('an outage of the server', () => {
  let home: string
  let server: EmbeddedServer
  let database: Database

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'outage-'))
    await chmod(home, 0o755)
    server = await startEmbedded(join(home, 'postgres'))
    database = await openDatabase(server.url)
  })
  afterAll(async () => {
    await database[Symbol.asyncDispose]()
    await server.stop()
    await rm(home, { recursive: true, force: true })
  })

  const tree = () => processesIn(join(server.directory, 'pgdata'))
  const attempt = async () => {
    const startedAt = performance.now()
    const outcome = await database.many(sql`select 1 as n`).then(
      () => 'ok' as const,
      (error: DatabaseError) => error,
    )
    return { outcome, tookMs: performance.now() - startedAt }
  }

  it('frozen: each statement fails as unavailable within three seconds, and all work again after', async () => {
    await Promise.all(Array.from({ length: 12 }, attempt))
    const onGap = vi.fn()
    await using _listening = await database.listen('news', () => undefined, onGap)
    const aborted = vi.fn()
    await using _leading = database.whileLeader('frozen', async (lost) => {
      await new Promise((resolve) => lost.addEventListener('abort', resolve, { once: true }))
      aborted()
    })
    await new Promise((resolve) => setTimeout(resolve, 200))
    for (const pid of tree()) signal(pid, 'SIGSTOP')
    const inTransaction = database
      .transaction((tx) => tx.many(sql`select 1`))
      .catch((error: DatabaseError) => error)
    const results = await Promise.all(Array.from({ length: 40 }, attempt))
    for (const { outcome, tookMs } of results) {
      expect(outcome).toMatchObject({ unavailable: true })
      expect(tookMs).toBePrompt(3000)
    }
    expect(await inTransaction).toMatchObject({ unavailable: true })
    const second = await attempt()
    expect(second.outcome).toMatchObject({ unavailable: true })
    expect(second.tookMs).toBePrompt(3000)
    await vi.waitFor(() => expect(aborted).toHaveBeenCalled(), { timeout: 5000 })
    for (const pid of tree()) signal(pid, 'SIGCONT')
    await vi.waitFor(async () => expect((await attempt()).outcome).toBe('ok'), { timeout: 5000 })
    await vi.waitFor(() => expect(onGap).toHaveBeenCalledOnce(), { timeout: 5000 })
  })

  it('killed: statements fail quickly, then work again once it has been started anew', async () => {
    const before = server.pid()
    for (const pid of tree()) signal(pid, 'SIGKILL')
    const { outcome, tookMs } = await attempt()
    if (outcome !== 'ok') expect(outcome.unavailable).toBe(true)
    expect(tookMs).toBePrompt(3000)
    await vi.waitFor(async () => expect((await attempt()).outcome).toBe('ok'), { timeout: 30_000 })
    expect(server.pid()).not.toBe(before)
  })

  it('never makes closing hang', async () => {
    const other = await openDatabase(server.url)
    await other.listen('news', () => undefined)
    await other.many(sql`select 1`)
    for (const pid of tree()) signal(pid, 'SIGSTOP')
    const startedAt = performance.now()
    const waiting = other.many(sql`select 1`).catch(() => undefined)
    await other[Symbol.asyncDispose]()
    expect(performance.now() - startedAt).toBePrompt(6000)
    await waiting
    for (const pid of tree()) signal(pid, 'SIGCONT')
  })

  it('frozen: all statements of a request, alone or together with others, end within three seconds', async () => {
    const group = groupCommit<number>(async (items) => {
      await database.many(sql`select ${items.length}::int`)
    })
    await vi.waitFor(async () => expect((await attempt()).outcome).toBe('ok'), { timeout: 5000 })
    await Promise.all(Array.from({ length: 12 }, attempt))
    const request = async () => {
      const startedAt = performance.now()
      const attempts = [
        () => database.many(sql`select 1`),
        () => database.transaction((tx) => tx.many(sql`select 1`)),
        () => group.add(1),
      ]
      const failures: unknown[] = []
      for (const one of attempts) await one().catch((error: unknown) => failures.push(error))
      return { failures, tookMs: performance.now() - startedAt }
    }
    const writer = async () => {
      const startedAt = performance.now()
      const failure = await group.add(1).catch((error: unknown) => error)
      return { failures: [failure], tookMs: performance.now() - startedAt }
    }
    for (const pid of tree()) signal(pid, 'SIGSTOP')
    const late = async () => {
      await new Promise((resolve) => setTimeout(resolve, 1500))
      return withStoreBudget(new StoreBudget(), writer)
    }
    const work = [request, request, writer, writer, writer]
    const ended = await Promise.all([...work.map((one) => withStoreBudget(new StoreBudget(), one)), late()])
    for (const pid of tree()) signal(pid, 'SIGCONT')
    for (const { failures, tookMs } of ended) {
      for (const failure of failures) expect(failure).toMatchObject({ unavailable: true })
      expect(tookMs).toBePrompt(3000)
    }
    expect(ended[0]?.failures).toHaveLength(3)
    await vi.waitFor(async () => expect((await attempt()).outcome).toBe('ok'), { timeout: 5000 })
  })
})
