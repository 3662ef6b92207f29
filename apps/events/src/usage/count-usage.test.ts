import { openBroker } from '@platform/broker'
import { migrate, one, sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { openOutbox } from '@platform/outbox'
import { openLog } from '@platform/search'
import { testDatabase } from '@platform/testing'
import { expect, it } from 'vitest'
import { usageCounter } from './count-usage.ts'
import { usageStore } from './usage-store.ts'

it('whole batches are counted at once, what is less within ten seconds', async () => {
  await using database = await testDatabase()
  const log = createLogger({ level: 'silent' })
  await using broker = await openBroker('postgres:', { database, log })
  await migrate(database, { schema: 'events', directory: new URL('../../migrations/', import.meta.url) })
  await using eventLog = await openLog(database)
  await using outbox = await openOutbox({ database, broker, log })
  let now = Date.now()
  const clock = { now: () => new Date(now) }
  const usage = usageStore(database, outbox)
  const { jobs } = usageCounter({ usage, eventLog, clock })
  const count = async () => {
    await jobs.find(({ name }) => name === 'count-usage')?.run(new AbortController().signal)
    const sum = sql`select coalesce(sum(count), 0)::int as count from events.usage_transactions`
    return (await one<{ count: number }>(database, sum)).count
  }
  const append = (times: number) =>
    eventLog.append(
      Array.from({ length: times }, () => ({
        stream: 'events-a',
        id: uuidv7(),
        document: {
          type: 'runtime.automations.executed',
          createdAt: '2026-11-28T00:00:00.000Z',
          source: { workspaceId: 'a' },
          payload: { trigger: { type: 'endpoint' } },
        },
      })),
    )

  await append(1)
  expect(await count()).toBe(1)
  now += 1000
  await append(999)
  expect(await count()).toBe(1)
  now += 1000
  await append(1002)
  expect(await count()).toBe(2001)
  now += 8000
  expect(await count()).toBe(2002)
})
