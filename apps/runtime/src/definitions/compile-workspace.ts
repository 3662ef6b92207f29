import { mayTrigger } from '@platform/contracts'
import type { CompiledAutomation, CompiledWorkspace } from '../automations/model.ts'
import { compileAutomation } from './compile-automation.ts'
import type { StepCompiler } from './compile-steps.ts'
import { compileUrls, type UrlTrigger, withoutEdgeSlashes } from './url-triggers.ts'

/** A workspace as the workspaces service keeps it live. */
export interface LiveDefinition {
  readonly workspaceId: string
  readonly workspaceSlug: string
  readonly workspaceName: string
  readonly config: unknown
  readonly revision: number
  readonly automations: Readonly<Record<string, unknown>>
}

/** Indexes the triggers of a workspace; its automations are compiled when they are first asked for. */
export function compileWorkspace(live: LiveDefinition, steps: StepCompiler): CompiledWorkspace {
  const compiled = new Map<string, CompiledAutomation>()
  const triggers = Object.entries(live.automations).map(([slug, saved]) => ({
    slug,
    ...readTriggers(slug, saved),
  }))
  const urls: UrlTrigger[] = triggers.flatMap(({ slug, path }) =>
    path === undefined ? [] : [{ slug, path }],
  )
  const events = indexEvents(triggers)
  return {
    id: live.workspaceId,
    slug: live.workspaceSlug,
    name: live.workspaceName,
    revision: live.revision,
    config: configValues(live.config),
    endpoints: new Map(urls.map(({ slug, path }) => [slug, withoutEdgeSlashes(path)])),
    find(slug) {
      const known = compiled.get(slug)
      if (known !== undefined || !Object.hasOwn(live.automations, slug)) return known
      const made = compileAutomation(slug, live.automations[slug], steps)
      compiled.set(slug, made)
      return made
    },
    matchUrl: compileUrls(urls),
    listeners: (type) => events.get(type) ?? [],
  }
}

interface Triggers {
  path: string | undefined
  events: string[]
}

/** Disabled automations keep their place in the tables: a URL of theirs must not fall through to a pattern of another. */
function readTriggers(slug: string, saved: unknown): Triggers {
  const { when, disabled } = Object(saved) as { when?: unknown; disabled?: unknown }
  const { endpoint, events } = Object(when ?? {}) as { endpoint?: unknown; events?: unknown }
  const listened =
    Array.isArray(events) && disabled !== true ? events.filter((type) => typeof type === 'string') : []
  if (endpoint === true) return { path: slug, events: listened }
  return { path: typeof endpoint === 'string' && endpoint !== '' ? endpoint : undefined, events: listened }
}

/** Types that may not trigger are left out, however they came into a definition. */
function indexEvents(
  triggers: readonly { slug: string; events: readonly string[] }[],
): Map<string, string[]> {
  const index = new Map<string, string[]>()
  for (const { slug, events } of triggers) {
    for (const type of new Set(events.filter(mayTrigger))) index.set(type, [...(index.get(type) ?? []), slug])
  }
  return index
}

function configValues(config: unknown): Readonly<Record<string, unknown>> {
  const { value } = Object(config ?? {}) as { value?: unknown }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {}
}
