import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { startTestService, type TestService } from '@platform/testing'
import { test as base } from 'vitest'
import { events } from '../src/service.ts'

interface Fixtures {
  service: TestService
  /** A workspace of ada's with eve as editor; for all others it does not exist. */
  workspaceId: string
}

/** Tests of the events service: one running service a file, one workspace a test. */
export const test = base.extend<Fixtures>({
  service: [
    // biome-ignore lint/correctness/noEmptyPattern: vitest reads the fixtures a fixture needs from this pattern.
    async ({}, use) => {
      await using service = await startTestService(events)
      await use(service)
    },
    { scope: 'file' },
  ],
  workspaceId: async ({ service }, use) => {
    const id = newWorkspaceId()
    await service.database.many(
      sql`insert into permissions.workspaces (id, slug, name) values (${id}, ${id}, 'Test')`,
    )
    await service.database.many(sql`
      insert into permissions.members (workspace_id, user_id, role)
      values (${id}, 'ada', 'owner'), (${id}, 'eve', 'editor')`)
    await use(id)
  },
})
