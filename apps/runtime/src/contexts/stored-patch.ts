import type { Caller } from '../automations/model.ts'
import type { ContextPatch, StoredContext } from './contexts.ts'

/** A change of a kept context, as it is written. */
export interface StoredPatch {
  readonly workspaceId: string
  readonly context: StoredContext
  readonly owner: string
  readonly content: Record<string, unknown>
  readonly removed: readonly string[]
  /** undefined: kept as long as the workspace. */
  readonly ttlSeconds: number | undefined
}

/** How long contexts outlive their last write, in seconds. */
export interface ContextLifetimes {
  readonly run: number
  readonly session: number
  readonly anonymousSession: number
}

/** Whose context it is; undefined when there is nobody, and nothing is kept. */
export function ownerOf(context: StoredContext, caller: Caller, correlationId: string): string | undefined {
  if (context === 'global') return ''
  if (context === 'run') return correlationId
  return context === 'user' ? caller.userId : caller.sessionId
}

/** The patches of a run that are kept. */
export function storedPatches(
  patches: readonly ContextPatch[],
  run: { workspaceId: string; caller: Caller; correlationId: string },
  lifetimes: ContextLifetimes,
): StoredPatch[] {
  return patches.flatMap(({ context, values, removed }) => {
    const owner = ownerOf(context, run.caller, run.correlationId)
    if (owner === undefined) return []
    const ttlSeconds = ttlOf(context, run.caller, lifetimes)
    return [{ workspaceId: run.workspaceId, context, owner, content: values, removed, ttlSeconds }]
  })
}

function ttlOf(context: StoredContext, caller: Caller, lifetimes: ContextLifetimes): number | undefined {
  if (context === 'run') return lifetimes.run
  if (context !== 'session') return undefined
  return caller.anonymous === true ? lifetimes.anonymousSession : lifetimes.session
}

/**
 * Patches of one owner as one: a statement may write a row once. In a fixed order, so that no two writers wait for
 * each other.
 */
export function mergedPatches(patches: readonly StoredPatch[]): StoredPatch[] {
  const merged = new Map<string, StoredPatch>()
  for (const patch of patches) {
    const key = `${patch.workspaceId}\n${patch.context}\n${patch.owner}`
    const before = merged.get(key)
    merged.set(key, before === undefined ? patch : followed(before, patch))
  }
  return [...merged.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, patch]) => patch)
}

function followed(before: StoredPatch, after: StoredPatch): StoredPatch {
  const content = { ...before.content, ...after.content }
  for (const key of after.removed) delete content[key]
  const removed = [...new Set([...before.removed, ...after.removed])].filter(
    (key) => !Object.hasOwn(content, key),
  )
  return { ...after, content, removed }
}
