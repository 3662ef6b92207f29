import { openDatabase } from '@platform/database'
import { buildRecord, insertEvents } from '@platform/outbox'
import { startTestService } from '@platform/testing'
import { type PlatformProcess, spawnPlatform } from '@platform/testing/platform'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import {
  LOCAL,
  newWorkspace,
  type Receiver,
  SOON,
  startReceiver,
  subscribed,
} from '../../test/subscription-fixture.ts'
import { events } from '../service.ts'

/** A takeover is done within 5 s; a busy machine gets as much again, which is still far less than a lease. */
const TAKEOVER = { timeout: 10_000, interval: 20 }

const stack = new AsyncDisposableStack()
let killed: PlatformProcess
let receiver: Receiver
let workspaceId: string

beforeAll(async () => {
  const first = await startTestService(events, { env: LOCAL })
  const databaseUrl = first.env.DATABASE_URL ?? ''
  killed = spawnPlatform('events', 'apps/events/src/main.ts', { ...first.env, LOG_LEVEL: 'info' })
  stack.defer(async () => void (await killed.stop('SIGKILL')))
  // Never answers: the queue stays held.
  receiver = stack.use(await startReceiver(() => {}))
  workspaceId = await newWorkspace(first)
  await subscribed(first, workspaceId, receiver.url)
  await first[Symbol.asyncDispose]()
  await killed.printed(/service is ready/)
  const database = stack.use(await openDatabase(databaseUrl, { allowWeakDurability: true }))
  const source = { workspaceId, correlationId: 'c', host: { service: 'events' } }
  await database.many(insertEvents([buildRecord({ type: 'order.placed', payload: {}, source })]))
  await vi.waitFor(() => expect(receiver.got).toHaveLength(1), SOON)
  stack.use(await startTestService(events, { env: LOCAL, databaseUrl }))
})
afterAll(() => stack.disposeAsync())

it('a queue whose holder is killed goes on elsewhere long before its lease is over', async () => {
  expect(receiver.got).toHaveLength(1)
  await killed.stop('SIGKILL')
  await vi.waitFor(() => expect(receiver.got).toHaveLength(2), TAKEOVER)
}, 60_000)
