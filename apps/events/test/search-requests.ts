import { type EventSource, eventStream } from '@platform/contracts'
import { sql } from '@platform/database'
import { newWorkspaceId } from '@platform/kernel'
import { buildRecord } from '@platform/outbox'
import type { TestService } from '@platform/testing'

/** An event as the platform commits it, with a source no user could give it. */
export interface SeededEvent {
  type: string
  payload?: unknown
  source?: Partial<EventSource>
  createdAt?: string
}

/** A new workspace of this owner. */
export async function newWorkspace(service: TestService, owner: string): Promise<string> {
  const id = newWorkspaceId()
  await service.database.many(
    sql`insert into permissions.workspaces (id, slug, name) values (${id}, ${id}, 'Test')`,
  )
  await service.database.many(
    sql`insert into permissions.members (workspace_id, user_id, role) values (${id}, ${owner}, 'owner')`,
  )
  return id
}

/** Appends events to the log, oldest first, as they are: found when this resolves. Answers their ids. */
export async function seed(
  service: TestService,
  workspaceId: string,
  events: readonly SeededEvent[],
): Promise<string[]> {
  const log = await service.resources.log(service.env.DATABASE_URL ?? '')
  const records = events.map(({ type, payload = {}, source, createdAt }) => ({
    ...buildRecord({ type, payload, source: { workspaceId, ...source } }),
    ...(createdAt === undefined ? {} : { createdAt }),
  }))
  const stream = eventStream(workspaceId)
  await log.append(records.map((record) => ({ stream, id: record.id, document: { ...record } })))
  return records.map(({ id }) => id)
}
