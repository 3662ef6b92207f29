import { type AuthProvider, mailDomainOf } from './auth-provider.ts'

/** Every provider of the platform. Where the file and the database have the same slug or domain, the file counts. */
export interface Providers {
  /** Those of the platform, whether enabled or not; they stand on the sign-in page. */
  readonly ofPlatform: readonly AuthProvider[]
  findBySlug(slug: string): Promise<AuthProvider | undefined>
  /** The enabled provider of a mail domain, or of the domain of an address. */
  findByDomain(domainOrEmail: string): Promise<AuthProvider | undefined>
}

interface Kept {
  findBySlug(slug: string): Promise<AuthProvider | undefined>
  findByDomain(domain: string): Promise<AuthProvider | undefined>
}

export function knownProviders(ofPlatform: readonly AuthProvider[], kept: Kept): Providers {
  return {
    ofPlatform,
    findBySlug: async (slug) =>
      ofPlatform.find((provider) => provider.slug === slug) ?? (await kept.findBySlug(slug)),
    async findByDomain(domainOrEmail) {
      const domain = mailDomainOf(domainOrEmail)
      if (domain === '') return undefined
      const own = ofPlatform.find((provider) => provider.domains.includes(domain))
      const found = own ?? (await kept.findByDomain(domain))
      if (found?.enabled !== true) return undefined
      const hidden = found.source === 'database' && ofPlatform.some(({ slug }) => slug === found.slug)
      return hidden ? undefined : found
    },
  }
}
