import { automationDeleted, deleteAutomation as endpoint } from '@platform/contracts'
import { requireMatch, route } from '@platform/http'
import { workspaceNotFound } from '@platform/permissions'
import { actorOf } from '../changes/actor.ts'
import { automationEtag } from './automation.ts'
import type { AutomationChanges } from './automation-store.ts'
import { automationNotFound } from './saved-automation.ts'

export const deleteAutomation = (deps: { changes: AutomationChanges }) =>
  route(endpoint, {
    async handle({ params, principal, request, admitted: { workspace } }) {
      const slug = params.automationSlug
      const source = { ...actorOf(principal, request).source, workspaceId: workspace.id }

      await deps.changes.commit(async (change) => {
        if ((await change.workspaces.touch(workspace.id)) === undefined) throw workspaceNotFound()
        const record = await change.automations.find(workspace.id, slug)
        if (record === undefined) throw automationNotFound(slug)
        requireMatch(request.headers, automationEtag(record))
        await change.automations.remove(workspace.id, slug)
        await change.emit(automationDeleted, { automationSlug: slug }, source)
      })

      return { slug }
    },
  })
