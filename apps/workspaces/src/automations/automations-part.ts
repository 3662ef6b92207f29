import type { WorkspaceDetails } from '@platform/contracts'
import type { Clock } from '@platform/kernel'
import type { Part } from '@platform/service'
import { presentEntry } from './automation.ts'
import type { AutomationChanges, AutomationStore } from './automation-store.ts'
import { createAutomation, type WorkspaceLimits } from './create-automation.ts'
import type { DefinitionHistoryStore } from './definition-history-store.ts'
import { deleteAutomation } from './delete-automation.ts'
import { forgetDefinitions } from './forget-definitions.ts'
import { patchAutomation } from './patch-automation.ts'
import { getAutomation, listAutomations } from './read-automations.ts'

/** Automations of workspaces. */
export interface Automations {
  /** The index of the automations of a workspace, by slug, as a workspace shows it. */
  index(workspaceId: string): Promise<WorkspaceDetails['automations']>
  readonly part: Part
}

export function automationsPart({
  automations,
  history,
  changes,
  clock,
  eventMaxLength,
  limits,
  runsRetentionDays,
}: {
  automations: AutomationStore
  history: DefinitionHistoryStore
  changes: AutomationChanges
  clock: Clock
  eventMaxLength: number
  limits: WorkspaceLimits
  runsRetentionDays: number
}): Automations {
  return {
    async index(workspaceId) {
      const listed = await automations.list(workspaceId)
      return Object.fromEntries(listed.map((one) => [one.entry.slug, presentEntry(one)]))
    },
    part: {
      routes: [
        createAutomation({ changes, clock, eventMaxLength, limits }),
        listAutomations({ automations }),
        getAutomation({ automations }),
        patchAutomation({ changes, clock, eventMaxLength, limits }),
        deleteAutomation({ changes }),
      ],
      jobs: [forgetDefinitions({ history, clock, runsRetentionDays })],
    },
  }
}
