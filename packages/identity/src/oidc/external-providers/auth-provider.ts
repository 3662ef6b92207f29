import { domainToASCII } from 'node:url'
import {
  type AuthProviderConfig,
  orgSlugPattern,
  type AuthProvider as PresentedProvider,
} from '@platform/contracts'
import { Failure } from '@platform/kernel'

/** Another server that vouches for people: one of the platform (its file) or of an organization (the database). */
export interface AuthProvider {
  id: string
  slug: string
  /** Absent for providers of the platform. */
  orgSlug: string | undefined
  source: 'file' | 'database'
  type: 'oidc'
  name: string | undefined
  icon: string | undefined
  /** With the secret of the client, when it has one. */
  config: AuthProviderConfig
  /** Field of the account → claim of the provider. */
  attributesMapping: Record<string, string>
  domains: string[]
  enabled: boolean
  meta: Record<string, unknown>
}

/** A provider as callers see it: its secret never leaves. */
export function presentProvider(provider: AuthProvider): PresentedProvider {
  const { client_secret: _, ...config } = provider.config
  const { orgSlug, name, icon, ...rest } = provider
  const given = { ...(orgSlug && { orgSlug }), ...(name && { name }), ...(icon && { icon }) }
  return { ...rest, ...given, config }
}

/** The mail domain in a domain or an address, as domains are compared. Empty when there is none. */
export const mailDomainOf = (text: string): string =>
  domainToASCII(text.slice(text.lastIndexOf('@') + 1).trim()).replace(/\.$/, '')

/** What the id tokens of a provider say in `iss`. Without a configured issuer: the origin people are sent to. */
export const issuerOf = ({ issuer, authorization_endpoint }: AuthProviderConfig): string =>
  issuer ?? new URL(authorization_endpoint ?? '').origin

/** The configured addresses by their names. */
export const addressesOf = (config: AuthProviderConfig): [name: string, url: string][] =>
  (['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const).flatMap((name) => {
    const url = config[name]
    return url === undefined ? [] : [[name, url] as [string, string]]
  })

/** What is wrong with the addresses of a provider, in a sentence without its subject. */
export function addressProblem(
  config: AuthProviderConfig,
  allowHttp: boolean,
): { name: string; problem: string } | undefined {
  for (const [name, text] of addressesOf(config)) {
    const url = new URL(text)
    if (url.username !== '' || url.password !== '')
      return { name, problem: 'must not hold a user name or password' }
    if (url.protocol === 'http:' && !allowHttp)
      return { name, problem: 'must be https: over http anybody on the way could sign in as anybody' }
  }
  return undefined
}

/** Throws RequestValidationError for addresses that are never called. */
export function requireAddresses(config: AuthProviderConfig, allowHttp: boolean): void {
  const wrong = addressProblem(config, allowHttp)
  if (wrong !== undefined) throw wrongAddress(wrong.name, wrong.problem)
}

/** The failure of one address of a provider. */
export const wrongAddress = (name: string, problem: string): Failure =>
  new Failure('RequestValidationError', `config.${name} ${problem}.`, {
    details: [{ path: `config.${name}`, message: problem }],
  })

/** The failure of a slug nobody has here. */
export const noSuchProvider = (slug: string): Failure =>
  new Failure('ObjectNotFoundError', `There is no sign-in provider "${slug}" here.`)

/**
 * Throws ObjectNotFoundError for what can't be the slug of an organization, so that nothing is kept or shown under
 * it.
 */
export function requireOrgSlug(orgSlug: string): void {
  if (orgSlugPattern.test(orgSlug)) return
  throw new Failure('ObjectNotFoundError', `There is no organization "${orgSlug.slice(0, 60)}".`)
}

/** The failure of a slug that is taken. */
export const slugUsed = (slug: string): Failure =>
  new Failure('AlreadyUsed', `The slug "${slug}" belongs to another provider: choose another one.`)

/** The failure of a domain that is taken. */
export const domainUsed = (domain: string): Failure =>
  new Failure('DomainAlreadyUsed', `The domain ${domain} belongs to another provider already.`, {
    details: { domain },
  })
