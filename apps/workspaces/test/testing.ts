import type { EventRecord, Workspace } from '@platform/contracts'
import { createWorkspace } from '@platform/contracts'
import { sql } from '@platform/database'
import type { Client } from '@platform/service-client'
import { type CallerOptions, startTestService, type TestService, userPrincipal } from '@platform/testing'
import { workspaces } from '../src/service.ts'

let count = 0

/** A name nobody else of this process has. */
export const unique = (prefix: string): string => `${prefix}-${process.pid}-${++count}`

/** The service on a database of its own, and what its tests ask again and again. */
export interface TestWorkspaces extends TestService {
  /** A workspace of its own, and the client of its owner. */
  newWorkspace(caller?: CallerOptions): Promise<{ workspace: Workspace; owner: Client; ownerId: string }>
  /** Gives a user the role editor. */
  makeEditor(workspaceId: string, userId: string): Promise<void>
  /** The events committed for a workspace, oldest first. */
  eventsOf(workspaceId: string): Promise<EventRecord[]>
  /** A request as raw as a stranger may send it. */
  send(path: string, init: RequestInit & { userId?: string }): Promise<Response>
}

/** Starts the service for a test file. */
export async function startWorkspaces(env: Record<string, string> = {}): Promise<TestWorkspaces> {
  const service = await startTestService(workspaces, { env })
  return {
    ...service,
    async newWorkspace(caller = {}) {
      const ownerId = caller.userId ?? unique('owner')
      const owner = service.as({ ...caller, userId: ownerId })
      return { workspace: await owner(createWorkspace, { body: { name: 'A workspace' } }), owner, ownerId }
    },
    async makeEditor(workspaceId, userId) {
      await service.database.many(sql`
        insert into permissions.members (workspace_id, user_id, role) values (${workspaceId}, ${userId}, 'editor')`)
    },
    async eventsOf(workspaceId) {
      const rows = await service.database.many<{ record: EventRecord }>(sql`
        select record from outbox.events where workspace_id = ${workspaceId} order by xid, position`)
      return rows.map(({ record }) => record)
    },
    send(path, { userId = 'ada', headers, ...init }) {
      const identity = service.headersOf(userPrincipal({ userId }))
      return fetch(service.url + path, {
        ...init,
        headers: { ...identity, ...(headers as Record<string, string>) },
      })
    },
  }
}
