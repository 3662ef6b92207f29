import type { BriefRecord } from '@platform/broker'
import { eventStream, workspaceDeleted, workspaceRestored } from '@platform/contracts'
import { deletedBefore } from './retention.ts'
import { losesAtOnce, type StoredStreams, workspaceOf } from './stored-streams.ts'

/** Workspaces whose events are deleted between two looks at who was restored. */
const DUE = 10
const STREAMS = 1000

/**
 * Schedules what was deleted and cancels what was restored. Events may come twice or late: what is true now decides.
 */
export const onWorkspacesDeleted =
  (deps: StoredStreams) =>
  async (events: readonly BriefRecord[]): Promise<void> => {
    const ids = events
      .filter(({ type }) => type === workspaceDeleted.type || type === workspaceRestored.type)
      .flatMap(({ source }) => source.workspaceId ?? [])
    if (ids.length === 0) return
    const concerned = [...new Set(ids)]
    await followTrash(deps, concerned)
    if (!losesAtOnce(deps.index)) return
    for (const id of await deps.deletions.scheduledAmong(concerned)) {
      await deps.index.deleteStream(eventStream(id))
    }
  }

/** Compares the schedule with the trash, for these workspaces or for all. */
export async function followTrash(deps: StoredStreams, ids?: readonly string[]): Promise<void> {
  const { deletions, index, rebuildStream } = deps
  await deletions.scheduleTrash(ids)
  for (const id of await deletions.listRevived(ids)) {
    // First what may fail: a schedule that is still there is seen again.
    if (losesAtOnce(index)) await rebuildStream(eventStream(id))
    await deletions.cancel(id)
  }
}

/** Deletes the events of workspaces whose days are over. Cut off anywhere, it goes on with the same workspace. */
export async function deleteDue(
  deps: StoredStreams,
  signal: AbortSignal,
  stillAlone: () => Promise<void> = async () => {},
): Promise<void> {
  const { deletions, settings, clock } = deps
  for (;;) {
    const due = await deletions.listDue(deletedBefore(settings, clock.now()), DUE)
    for (const id of due) {
      if (signal.aborted) return
      await stillAlone()
      await deleteEvents(deps, id)
    }
    if (due.length < DUE) return
  }
}

async function deleteEvents(deps: StoredStreams, workspaceId: string): Promise<void> {
  const { deletions, log, index } = deps
  // The workspaces before it may have taken long: one that was restored meanwhile does not lose its events.
  if (!(await deletions.scheduledAmong([workspaceId])).has(workspaceId)) return
  await log.deleteStream(eventStream(workspaceId))
  await index?.deleteStream(eventStream(workspaceId))
  await deps.forgetUsage(workspaceId)
  await deletions.finish(workspaceId)
}

/** What came into the index after its workspace was deleted, for example the event of its deletion. */
export async function dropDeletedFromIndex(
  { index, deletions }: StoredStreams,
  signal: AbortSignal,
): Promise<void> {
  if (!losesAtOnce(index)) return
  let after: string | undefined
  do {
    const page = await index.counts(after, STREAMS)
    const scheduled = await deletions.scheduledAmong(page.flatMap(({ stream }) => workspaceOf(stream) ?? []))
    for (const id of scheduled) if (!signal.aborted) await index.deleteStream(eventStream(id))
    after = page.length < STREAMS ? undefined : page.at(-1)?.stream
  } while (after !== undefined)
}
