import { mayTrigger, withoutEdgeSlashes } from '@platform/contracts'
import type { CompiledAutomation, CompiledWorkspace } from '../automations/model.ts'
import type { IndexedAutomation, LiveWorkspace } from './definition-store.ts'
import { compileUrls, type UrlTrigger } from './url-triggers.ts'

/** Finds a compiled automation of a workspace: at once where it is known. */
export type FindAutomation = (
  automation: IndexedAutomation,
) => CompiledAutomation | undefined | Promise<CompiledAutomation | undefined>

/** Indexes the triggers of a workspace; its automations are read and compiled when they are first asked for. */
export function compileWorkspace(live: LiveWorkspace, findAutomation: FindAutomation): CompiledWorkspace {
  const automations = new Map(live.automations.map((one) => [one.slug, one]))
  // Disabled automations keep their place in the table: a URL of theirs must not fall through to a pattern of another.
  const urls: UrlTrigger[] = live.automations.flatMap(({ slug, endpoint }) =>
    endpoint === null || endpoint === '' ? [] : [{ slug, path: endpoint }],
  )
  const events = indexEvents(live.automations)
  return {
    id: live.workspaceId,
    slug: live.workspaceSlug,
    name: live.workspaceName,
    revision: live.revision,
    config: configValues(live.config),
    endpoints: new Map(urls.map(({ slug, path }) => [slug, withoutEdgeSlashes(path)])),
    find(slug) {
      const automation = automations.get(slug)
      return automation === undefined ? undefined : findAutomation(automation)
    },
    matchUrl: compileUrls(urls),
    listeners: (type) => events.get(type) ?? [],
  }
}

/** Types that may not trigger are left out, however they came into a definition. */
function indexEvents(automations: readonly IndexedAutomation[]): Map<string, string[]> {
  const index = new Map<string, string[]>()
  for (const { slug, events, disabled } of automations) {
    if (disabled || !Array.isArray(events)) continue
    for (const type of new Set(events.filter((one) => typeof one === 'string' && mayTrigger(one)))) {
      const listeners = index.get(type)
      if (listeners === undefined) index.set(type, [slug])
      else listeners.push(slug)
    }
  }
  return index
}

function configValues(config: unknown): Readonly<Record<string, unknown>> {
  const { value } = Object(config ?? {}) as { value?: unknown }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
