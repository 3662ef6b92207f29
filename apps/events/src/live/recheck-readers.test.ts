import { sql } from '@platform/database'
import { newWorkspaceId, systemClock } from '@platform/kernel'
import { openPermissions } from '@platform/permissions'
import { testDatabase, userPrincipal } from '@platform/testing'
import { expect, test } from 'vitest'
import { LiveReaders } from './live-readers.ts'
import type { Reader } from './reader.ts'
import { readerRightsStore } from './reader-rights-store.ts'
import { recheckReaders } from './recheck-readers.ts'

const signal = new AbortController().signal

async function openReaders() {
  const stack = new AsyncDisposableStack()
  const database = stack.use(await testDatabase())
  const permissions = await openPermissions({ database, clock: systemClock })
  const readers = new LiveReaders()
  const workspaceId = newWorkspaceId()
  await database.many(
    sql`insert into permissions.workspaces (id, slug, name) values (${workspaceId}, ${workspaceId}, 'Test')`,
  )
  await database.many(
    sql`insert into permissions.members (workspace_id, user_id, role) values (${workspaceId}, 'eve', 'owner')`,
  )
  const principal = userPrincipal({ userId: 'eve' })
  const admission = await permissions.require(principal, 'read', { type: 'events', workspace: workspaceId })
  return {
    database,
    job: recheckReaders({ readers, rights: readerRightsStore(database), permissions }),
    /** A reader that was let in by what was known before. */
    add() {
      const reader: Reader = { principal, admission, filter: { all: [] } }
      const session = {
        reader,
        isRefused: false,
        refuse() {
          session.isRefused = true
          readers.remove(session)
        },
      }
      readers.add(session)
      return session
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

test('who comes in by what was known before a removal is refused too', async () => {
  await using opened = await openReaders()
  const first = opened.add()
  await opened.job.run(signal)
  await opened.database.many(sql`delete from permissions.members`)
  await opened.job.run(signal)
  expect(first.isRefused).toBe(true)
  const second = opened.add()
  await opened.job.run(signal)
  expect(second.isRefused).toBe(true)
})

test('who comes in by what was known before a change of role has the new role too', async () => {
  await using opened = await openReaders()
  const first = opened.add()
  await opened.job.run(signal)
  await opened.database.many(sql`update permissions.members set role = 'editor'`)
  await opened.job.run(signal)
  const second = opened.add()
  await opened.job.run(signal)
  expect([first, second].map(({ reader }) => reader.admission.role)).toEqual(['editor', 'editor'])
})
