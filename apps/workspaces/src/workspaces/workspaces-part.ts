import { type Clock, DAY_MS, HOUR_MS } from '@platform/kernel'
import type { OpenPermissions, PermissionStore } from '@platform/permissions'
import { inBatches, type Job, type Part } from '@platform/service'
import type { Automations } from '../automations/automations-part.ts'
import { createWorkspace } from './create-workspace.ts'
import { deleteWorkspace } from './delete-workspace.ts'
import { getWorkspace } from './get-workspace.ts'
import { listWorkspaces } from './list-workspaces.ts'
import { patchWorkspace } from './patch-workspace.ts'
import { restoreWorkspace } from './restore-workspace.ts'
import type { WorkspaceChanges, WorkspaceStore } from './workspace-store.ts'

/** Workspaces and their trash. */
export const workspacesPart = ({
  workspaces,
  suspensions,
  automations,
  changes,
  permissions,
  clock,
  eventMaxLength,
  trashDays,
}: {
  workspaces: WorkspaceStore
  suspensions: Pick<PermissionStore, 'findSuspension'>
  automations: Automations
  changes: WorkspaceChanges
  permissions: OpenPermissions
  clock: Clock
  eventMaxLength: number
  trashDays: number
}): Part => ({
  routes: [
    createWorkspace({ changes, clock, eventMaxLength }),
    listWorkspaces({ workspaces }),
    getWorkspace({ workspaces, suspensions, indexAutomations: automations.index }),
    patchWorkspace({ changes, permissions, clock, eventMaxLength }),
    deleteWorkspace({ changes, permissions, clock }),
    restoreWorkspace({ workspaces, changes, permissions, clock }),
  ],
  jobs: [emptyTrash({ changes, clock, trashDays })],
})

/** Workspaces removed in one transaction, so that none keeps its locks for long. */
const BATCH = 50

/**
 * Removes workspaces for good when their days in the trash are over. Any instance may run it: rows taken by another
 * are skipped.
 */
export const emptyTrash = (deps: { changes: WorkspaceChanges; clock: Clock; trashDays: number }): Job => ({
  name: 'empty-trash',
  everyMs: HOUR_MS,
  async run(signal) {
    const before = new Date(deps.clock.now().getTime() - deps.trashDays * DAY_MS)
    await inBatches(BATCH, signal, (limit) =>
      deps.changes.commit(async ({ workspaces, permissions }) => {
        const ids = await workspaces.removeTrash(before, limit)
        if (ids.length > 0) await permissions.removeWorkspaces(ids)
        return ids.length
      }),
    )
  },
})
