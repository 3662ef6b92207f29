import { EMIT_TOPIC } from '@platform/contracts'
import type { Resource } from './ability.ts'
import type { Subject } from './permissions.ts'

/**
 * The conditions that tie a rule about a kind of thing to one workspace by their fields. Emitting is also
 * tied to the topic of users' events, so that no rule ever stands for a native event.
 */
export function conditionsIn(workspaceId: string, subject: Subject, isCreation: boolean): Resource {
  switch (subject) {
    case 'workspaces':
      return { id: workspaceId }
    case 'automations':
      return { runningWorkspaceId: workspaceId }
    case 'events':
      return {
        'source.workspaceId': workspaceId,
        ...(isCreation ? { 'source.serviceTopic': EMIT_TOPIC } : {}),
      }
    default:
      return { workspaceId }
  }
}

/** Things of a workspace as rules see them, when nothing more is known of the one that is meant. */
export function resourceIn(workspaceId: string, subject: string): Resource {
  switch (subject) {
    case 'workspaces':
      return { id: workspaceId }
    case 'automations':
      return { runningWorkspaceId: workspaceId }
    case 'events':
      return { source: { workspaceId, serviceTopic: EMIT_TOPIC } }
    default:
      return { workspaceId }
  }
}
