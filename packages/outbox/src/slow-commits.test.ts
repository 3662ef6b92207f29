import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openBroker } from '@platform/broker'
import { event } from '@platform/contracts'
import { openDatabase, sql, startEmbedded } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { openOutbox } from './outbox.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
const DISK_MS = 100
const COMMITS = 20
const thingMade = event({
  type: 'things.made',
  emittedWhen: 'A thing is made.',
  payload: z.strictObject({}),
})

const stack = new AsyncDisposableStack()
let url: URL
beforeAll(async () => {
  const home = await mkdtemp(join(tmpdir(), 'slow-commits-'))
  stack.defer(() => rm(home, { recursive: true, force: true }))
  const server = await startEmbedded(join(home, 'postgres'))
  stack.defer(() => server.stop())
  url = new URL(server.url)
  // Each write of the disk is waited for that much longer, and takes all commits along that have come meanwhile.
  url.searchParams.set('options', `-c commit_delay=${DISK_MS * 1000} -c commit_siblings=0`)
})
afterAll(() => stack.disposeAsync())

it('events that are committed at the same time wait for the disk together, and are told', async () => {
  const database = stack.use(await openDatabase(url.href, { poolSize: COMMITS }))
  const broker = stack.use(await openBroker('postgres:', { database, log }))
  const outbox = stack.use(await openOutbox({ database, broker, log }))
  const told = vi.fn()
  await using _listening = await database.listen('outbox', told)
  const source = { workspaceId: `workspace-${uuidv7()}`, host: { service: 'runtime' } } as const
  const commitAll = () =>
    Promise.all(
      Array.from({ length: COMMITS }, () =>
        database.transaction(async (tx) => void (await outbox.add(tx, thingMade, {}, source))),
      ),
    )
  await Promise.all(Array.from({ length: COMMITS }, () => database.many(sql`select pg_sleep(0.05)`)))
  told.mockClear()
  const startedAt = performance.now()
  await commitAll()
  expect(performance.now() - startedAt).toBePrompt((COMMITS / 2) * DISK_MS)
  await vi.waitFor(() => expect(told).toHaveBeenCalled())
})
