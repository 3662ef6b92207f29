import type { ServerResponse } from 'node:http'
import { openDatabase } from '@platform/database'
import { buildRecord, insertEvents } from '@platform/outbox'
import { rounds, startTestService, testDatabaseUrl } from '@platform/testing'
import { FaultProxy } from '@platform/testing/platform'
import { expect, it, vi } from 'vitest'
import { LOCAL, newWorkspace, SOON, startReceiver, subscribed } from '../../test/subscription-fixture.ts'
import { events } from '../service.ts'

/** Far less than a lease, which nobody may have to wait for. */
const AT_ONCE = { timeout: 8000, interval: 20 }

it('a queue that is held while the database is away goes on as soon as it is back', async () => {
  const direct = await testDatabaseUrl()
  await using proxy = await FaultProxy.open(Number(new URL(direct).port))
  await using service = await startTestService(events, { env: LOCAL, databaseUrl: proxy.through(direct) })
  const waiting: ServerResponse[] = []
  await using receiver = await startReceiver((_, response) => void waiting.push(response))
  await using database = await openDatabase(direct, { allowWeakDurability: true })
  const workspaceId = await newWorkspace(service)
  await subscribed(service, workspaceId, receiver.url, { ordered: true })
  const source = { workspaceId, correlationId: 'c', host: { service: 'events' } }
  const order = () => buildRecord({ type: 'order.placed', payload: {}, source })
  await database.many(insertEvents([order(), order(), order()]))
  await vi.waitFor(() => expect(receiver.got).toHaveLength(1), SOON)

  await proxy.set('refuse')
  // The long outage is longer than the pause between two heartbeats of the process.
  await new Promise((resolve) => setTimeout(resolve, rounds(2000, 7000)))
  receiver.respond = (_, response) => void response.end()
  await proxy.set('pass')
  for (const response of waiting) response.end()
  await vi.waitFor(() => expect(receiver.got).toHaveLength(3), AT_ONCE)
}, 60_000)
