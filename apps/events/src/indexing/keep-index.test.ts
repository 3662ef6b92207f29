import { eventStream } from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { expect, test, vi } from 'vitest'
import { documentsOf, indexingFixture, someEvent } from '../../test/indexing-fixture.ts'
import { INDEX_CHANNEL } from './index-store.ts'
import { keepIndex } from './keep-index.ts'

const PATIENCE = { timeout: 10_000, interval: 50 }

test('a leader that comes after one that saw the store away compares the index with the log', async () => {
  await using fixture = await indexingFixture()
  /** A process that may lead, until it leaves. */
  const start = () => {
    const leaving = new AbortController()
    const running = keepIndex(fixture).run(leaving.signal)
    return async () => {
      leaving.abort()
      await running
    }
  }
  const known = () => fixture.store.find()
  const workspaceId = newWorkspaceId()
  await fixture.log.append(documentsOf([someEvent(workspaceId)]))
  const leaveFirst = start()
  await vi.waitFor(
    async () => expect(await known()).toMatchObject({ stage: 'ready', isTrusted: true }),
    PATIENCE,
  )
  fixture.memory.away = true
  await fixture.database.many(sql`select pg_notify(${INDEX_CHANNEL}, '')`)
  await vi.waitFor(async () => expect(await known()).toMatchObject({ isTrusted: false }), PATIENCE)
  await leaveFirst()

  fixture.memory.away = false
  const leaveSecond = start()
  await vi.waitFor(async () => expect(await known()).toMatchObject({ stage: 'comparing' }), PATIENCE)
  expect(fixture.memory.of(eventStream(workspaceId))).toHaveLength(1)
  await leaveSecond()
  expect(await known()).toMatchObject({ stage: 'comparing', isTrusted: false })
})
