import { openDatabase } from '@platform/database'
import { buildRecord, insertEvents } from '@platform/outbox'
import { startTestService } from '@platform/testing'
import { spawnPlatform } from '@platform/testing/platform'
import { expect, it, onTestFinished, vi } from 'vitest'
import { LOCAL, newWorkspace, SOON, startReceiver, subscribed } from '../../test/subscription-fixture.ts'
import { events } from '../service.ts'

/** A takeover is done within 5 s; a busy machine gets as much again, which is still far less than a lease. */
const TAKEOVER = { timeout: 10_000, interval: 20 }

it('a queue whose holder is killed goes on elsewhere long before its lease is over', async () => {
  const first = await startTestService(events, { env: LOCAL })
  const killed = spawnPlatform('events', 'apps/events/src/main.ts', { ...first.env, LOG_LEVEL: 'info' })
  onTestFinished(async () => void (await killed.stop('SIGKILL')))
  // Never answers: the queue stays held.
  await using receiver = await startReceiver(() => {})
  const workspaceId = await newWorkspace(first)
  await subscribed(first, workspaceId, receiver.url)
  const databaseUrl = first.env.DATABASE_URL ?? ''
  await first[Symbol.asyncDispose]()
  await killed.printed(/service is ready/)
  await using database = await openDatabase(databaseUrl, { allowWeakDurability: true })
  const source = { workspaceId, correlationId: 'c', host: { service: 'events' } }
  await database.many(insertEvents([buildRecord({ type: 'order.placed', payload: {}, source })]))
  await vi.waitFor(() => expect(receiver.got).toHaveLength(1), SOON)

  await using _second = await startTestService(events, { env: LOCAL, databaseUrl })
  expect(receiver.got).toHaveLength(1)
  await killed.stop('SIGKILL')
  await vi.waitFor(() => expect(receiver.got).toHaveLength(2), TAKEOVER)
}, 60_000)
