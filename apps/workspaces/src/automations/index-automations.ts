import { presentEntry } from './automation.ts'
import type { AutomationStore } from './automation-store.ts'

/** The index of the automations of a workspace, by slug, as a workspace shows it. */
export const indexAutomations = (automations: AutomationStore) => async (workspaceId: string) => {
  const listed = await automations.list(workspaceId)
  return Object.fromEntries(listed.map((one) => [one.entry.slug, presentEntry(one)]))
}
