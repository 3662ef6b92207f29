import { eventStream, PLATFORM_STREAM } from '@platform/contracts'
import { systemClock } from '@platform/kernel'
import { expect, test } from 'vitest'
import { otherStore, startCleanupTests } from '../../test/cleanup-fixture.ts'
import { followTrash } from './deleted-workspaces.ts'
import { withheldFrom } from './stored-streams.ts'

test.each([
  ['opensearch', true],
  ['elasticsearch', false],
] as const)('streams of deleted workspaces are kept out of %s: %s', async (driver, isWithheld) => {
  await using cleaning = await startCleanupTests()
  await using index = await otherStore(driver)
  const { streams } = await cleaning.parts(systemClock, index)
  const alive = await cleaning.newWorkspace()
  const deleted = await cleaning.newWorkspace(systemClock.now())
  await followTrash(streams)
  const all = [PLATFORM_STREAM, eventStream(alive), eventStream(deleted)]
  expect([...(await withheldFrom(index, streams.deletions)(all))]).toEqual(
    isWithheld ? [eventStream(deleted)] : [],
  )
})
