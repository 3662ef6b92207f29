import type { Queries } from '@platform/database'
import { type AuthProvider, noSuchProvider, requireOrgSlug } from './auth-provider.ts'
import type { AuthProviderStore } from './auth-provider-store.ts'
import { inFile } from './provider-changes.ts'
import type { Providers } from './providers.ts'

interface Needs {
  store: Pick<AuthProviderStore, 'findBySlug' | 'lock'>
  providers: Pick<Providers, 'ofPlatform'>
}

/**
 * The provider of an organization that is to be changed; inside `tx` it is locked. Throws ObjectNotFoundError for
 * another organization's as for a missing one, ForbiddenError for one that stands in the file alone.
 */
export async function requireOwn(
  { orgSlug, slug }: { orgSlug: string; slug: string },
  { store, providers }: Needs,
  tx?: Queries,
): Promise<AuthProvider> {
  requireOrgSlug(orgSlug)
  const found = tx === undefined ? await store.findBySlug(slug) : await store.lock(tx, orgSlug, slug)
  if (found !== undefined && found.orgSlug === orgSlug) return found
  if (providers.ofPlatform.some((provider) => provider.slug === slug)) throw inFile(slug)
  throw noSuchProvider(slug)
}
