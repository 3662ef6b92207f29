import { MINUTE_MS } from '@platform/kernel'
import type { MasterKeyRing } from '@platform/master-keys'
import { REFERENCE } from '@platform/secret-references'
import type { SecretPlace } from './secret-parts.ts'

/** How long a reference counts. */
const COUNTS_MS = 15 * MINUTE_MS

/** What a reference is sealed for. */
const CONTEXT = 'reference of a secret'

/**
 * The text that stands for a secret in a run. It is sealed, so that nobody can write one: what a visitor sends and an
 * automation passes on can't name a secret. It ends soon, and counts for nothing but what has the same correlation id.
 */
export function makeReference(
  keys: MasterKeyRing,
  { workspaceId, scope, owner, name }: SecretPlace,
  correlationId: string,
  now: Date,
): string {
  const content = [workspaceId, scope, owner, name, correlationId, now.getTime() + COUNTS_MS]
  const sealed = keys.seal(JSON.stringify(content), CONTEXT)
  const at = sealed.indexOf(':')
  const bytes = Buffer.from(sealed.slice(at + 1), 'base64')
  return `$secret:${sealed.slice(0, at)}.${bytes.toString('base64url')}.`
}

/** What a reference names. */
export interface ReadReference {
  readonly place: SecretPlace
  readonly correlationId: string
  readonly expiresAtMs: number
}

/** undefined for a text that only looks like a reference. */
export function readReference(keys: MasterKeyRing, keyId: string, bytes: string): ReadReference | undefined {
  try {
    const sealed = `${keyId}:${Buffer.from(bytes, 'base64url').toString('base64')}`
    const [workspaceId, scope, owner, name, correlationId, expiresAtMs] = JSON.parse(
      keys.open(sealed, CONTEXT),
    )
    return { place: { workspaceId, scope, owner, name }, correlationId, expiresAtMs }
  } catch {
    return undefined
  }
}

/** What a value names that is a reference and nothing else. */
export function readWholeReference(keys: MasterKeyRing, value: unknown): ReadReference | undefined {
  if (typeof value !== 'string' || !value.startsWith('$secret:')) return undefined
  const [[whole, keyId = '', bytes = ''] = []] = [...value.matchAll(REFERENCE)]
  return whole === value ? readReference(keys, keyId, bytes) : undefined
}
