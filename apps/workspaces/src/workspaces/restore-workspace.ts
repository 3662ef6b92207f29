import type { Principal } from '@platform/auth'
import { type BodyOf, restoreWorkspace as endpoint, workspaceRestored } from '@platform/contracts'
import { route } from '@platform/http'
import { type Clock, Failure } from '@platform/kernel'
import { type OpenPermissions, workspaceNotFound } from '@platform/permissions'
import { type Actor, actorOf } from '../changes/actor.ts'
import { presentWorkspace } from './workspace.ts'
import type { WorkspaceChanges, WorkspaceRecord, WorkspaceStore } from './workspace-store.ts'

interface Deps {
  workspaces: WorkspaceStore
  changes: WorkspaceChanges
  permissions: OpenPermissions
  clock: Clock
}

export const restoreWorkspace = (deps: Deps) =>
  route(endpoint, {
    async handle({ params, body, principal, request }) {
      await requireOwner(deps, principal, params.workspaceId)

      const restored = await restore(deps, params.workspaceId, body, actorOf(principal, request))
      // Asked for a second time, for example because the first answer was lost.
      const record = restored ?? (await deps.workspaces.find(params.workspaceId))
      if (record === undefined) throw workspaceNotFound()
      deps.permissions.forget()

      return presentWorkspace(record)
    },
  })

/** Callers who may not delete a workspace do not learn that there was one. */
async function requireOwner(
  { permissions }: Deps,
  principal: Principal & { kind: 'user' },
  workspaceId: string,
): Promise<void> {
  if (principal.superAdmin) return
  const role = principal.anonymous ? undefined : await permissions.roleOf(principal.userId, workspaceId)
  if (role !== 'owner') throw workspaceNotFound()
}

/** undefined when there is no such workspace in the trash. */
const restore = (
  { changes, clock }: Deps,
  workspaceId: string,
  body: BodyOf<typeof endpoint>,
  actor: Actor,
): Promise<WorkspaceRecord | undefined> =>
  changes.commit(async ({ workspaces, permissions, emit }) => {
    const deleted = await workspaces.findDeleted(workspaceId)
    if (deleted === undefined) return undefined
    const slug = body?.slug ?? deleted.slug
    await permissions.restoreWorkspace({ id: workspaceId, slug }).catch(sayRemedy)
    const record = await workspaces.restore(workspaceId, slug, actor.id, clock.now())
    const payload = { workspaceId, name: deleted.name, workspaceSlug: slug }
    await emit(workspaceRestored, payload, { ...actor.source, workspaceId })
    return record
  })

function sayRemedy(error: unknown): never {
  if (!(error instanceof Failure && error.name === 'AlreadyUsed')) throw error
  throw new Failure(
    'AlreadyUsed',
    'Another workspace has taken the slug meanwhile: restore this one under another with the body {"slug": "…"}.',
    { cause: error },
  )
}
