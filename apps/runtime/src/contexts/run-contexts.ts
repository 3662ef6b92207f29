import type { Caller, CompiledAutomation, CompiledWorkspace, Trigger } from '../automations/model.ts'
import type { ContextStore } from './context-store.ts'
import { type ContextDefinition, Contexts, type ReadingPlace, type StoredContext } from './contexts.ts'
import { builtinNames } from './mentioned-contexts.ts'
import { ownerOf } from './stored-patch.ts'

/** Addresses that automations may show or call. */
export interface PublicUrls {
  readonly apiUrl: string
  readonly consoleUrl: string
}

export interface ContextParts {
  readonly workspace: CompiledWorkspace
  readonly trigger: Trigger
  readonly caller: Caller
  readonly correlationId: string
  readonly urls: PublicUrls
  readonly store: Pick<ContextStore, 'load'>
  readonly roleOf: (userId: string, workspaceId: string) => Promise<string | undefined>
  readonly now: () => Date
  /** False where nobody can have set anything in the `run` context before. */
  readonly continuesRun: boolean
}

/** The contexts of one run, and how the kept values of those an automation mentions come in. */
export function contextsOfRun(parts: ContextParts): {
  contexts: Contexts
  load: (automation: CompiledAutomation) => Promise<void> | undefined
} {
  const role: { current: string | undefined } = { current: undefined }
  const contexts = new Contexts(definitionsOf(parts, role))
  const loaded = new Set<Loadable>(parts.continuesRun ? [] : ['run'])
  if (parts.caller.userId === undefined || parts.caller.anonymous === true) loaded.add('role')
  const loadOne = async (name: Loadable): Promise<void> => {
    if (name === 'role') role.current = await parts.roleOf(parts.caller.userId ?? '', parts.workspace.id)
    else await loadContext(parts, contexts, name)
    loaded.add(name)
  }
  const loading = new Map<Loadable, Promise<void>>()
  // Calls side by side share one reading: a second one could come back after a change was committed, and would hide it.
  const loadOnce = (name: Loadable): Promise<void> => {
    const running = loading.get(name) ?? loadOne(name).finally(() => loading.delete(name))
    loading.set(name, running)
    return running
  }
  return {
    contexts,
    load({ storedContexts, readsRole }) {
      const needed: readonly Loadable[] = readsRole ? [...storedContexts, 'role'] : storedContexts
      const missing = needed.filter((name) => !loaded.has(name))
      return missing.length === 0 ? undefined : Promise.all(missing.map(loadOnce)).then(() => undefined)
    },
  }
}

/** What is read from the database before an automation that mentions it runs. */
type Loadable = StoredContext | 'role'

async function loadContext(parts: ContextParts, contexts: Contexts, name: StoredContext): Promise<void> {
  const owner = ownerOf(name, parts.caller, parts.correlationId)
  if (owner !== undefined) contexts.load(name, await parts.store.load(parts.workspace.id, name, owner))
}

function definitionsOf(
  parts: ContextParts,
  role: { current: string | undefined },
): Readonly<Record<string, ContextDefinition>> {
  const { workspace, caller } = parts
  const global = once(() => globalBuiltins(parts))
  return {
    run: {
      builtins: (place) => runBuiltins(parts, place),
      builtinNames: builtinNames('run'),
      writable: true,
    },
    user: {
      builtins: () => withoutMissing({ ...userBuiltins(caller), role: role.current }),
      builtinNames: builtinNames('user'),
      writable: true,
    },
    session: {
      builtins: () => withoutMissing({ id: caller.sessionId }),
      builtinNames: builtinNames('session'),
      writable: true,
    },
    global: { builtins: () => global(), builtinNames: builtinNames('global'), writable: true },
    socket: { writable: true },
    config: { custom: { ...workspace.config }, writable: true },
    secret: { writable: false },
    $workspace: {
      builtins: () => ({
        id: workspace.id,
        slug: workspace.slug,
        name: workspace.name,
        config: workspace.config,
      }),
      writable: false,
    },
  }
}

const runBuiltins = (parts: ContextParts, { automationSlug, depth }: ReadingPlace): Record<string, unknown> =>
  withoutMissing({
    date: parts.now().toISOString(),
    ip: parts.caller.ip,
    automationSlug,
    correlationId: parts.correlationId,
    depth,
    trigger: parts.trigger,
  })

function userBuiltins({ userId, email, anonymous }: Caller): Record<string, unknown> {
  if (userId === undefined) return {}
  const authData = anonymous === true ? { anonymous: {} } : { prismeai: {} }
  return { id: userId, email, authData, orgSlugs: [] }
}

function globalBuiltins({ workspace, urls }: ContextParts): Record<string, unknown> {
  const base = `${urls.apiUrl}/workspaces/${workspace.id}/webhooks`
  const endpoints = Object.fromEntries(
    [...workspace.endpoints].map(([slug, path]) => [slug, `${base}/${path}`]),
  )
  return {
    workspaceId: workspace.id,
    workspaceName: workspace.name,
    apiUrl: urls.apiUrl,
    studioUrl: urls.consoleUrl,
    endpoints,
  }
}

/** A workspace may have thousands of endpoints: they are listed once a run, and only for runs that ask. */
function once<T extends object>(make: () => T): () => T {
  let made: T | undefined
  return () => {
    made ??= make()
    return made
  }
}

const withoutMissing = (values: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
