import { isEmail, isPlainAddress, normalizeEmail } from '../../users/user.ts'
import { type AuthProvider, mailDomainOf } from './auth-provider.ts'

/** Who somebody is, as a provider has it. */
export interface ExternalIdentity {
  /** The `iss` that was checked. */
  issuer: string
  /** The provider's `sub`. */
  externalId: string
  /** True only when the provider vouches for the address, and may. */
  emailVerified: boolean
  email: string | undefined
  firstName: string | undefined
  lastName: string | undefined
  language: string | undefined
  /** What becomes `authData.<slug>`. */
  authData: Record<string, unknown>
}

/** Claims that were verified. The userinfo answer is absent when nobody had to ask. */
export interface Claims {
  issuer: string
  idToken: Readonly<Record<string, unknown>>
  userinfo?: Readonly<Record<string, unknown>>
}

const DEFAULT_MAPPING: Record<string, string> = {
  email: 'email',
  firstName: 'given_name',
  lastName: 'family_name',
  language: 'locale',
}
/** Fields of authData that no mapping replaces. */
const OWN_FIELDS = new Set(['id', '__proto__', 'constructor', 'prototype'])
const MAX_TEXT = 200

/** Field of the account → claim, with what the provider doesn't name as the standard has it. */
const mappingOf = ({ attributesMapping }: Pick<AuthProvider, 'attributesMapping'>) => ({
  ...DEFAULT_MAPPING,
  ...attributesMapping,
})

/** True when the id token lacks a claim that is wanted, so that userinfo is worth a question. */
export const wantsUserinfo = (
  provider: Pick<AuthProvider, 'attributesMapping'>,
  idToken: Record<string, unknown>,
): boolean => Object.values(mappingOf(provider)).some((claim) => idToken[claim] === undefined)

/** The person behind claims. */
export function externalIdentity(provider: AuthProvider, claims: Claims): ExternalIdentity {
  const mapping = mappingOf(provider)
  const read = (field: string): unknown => {
    const claim = mapping[field] ?? field
    return claims.idToken[claim] ?? claims.userinfo?.[claim]
  }
  const mapped = Object.keys(mapping).filter((field) => !OWN_FIELDS.has(field))
  const authData = mapped.flatMap((field) => {
    const value = plainValue(read(field))
    return value === undefined ? [] : [[field, value] as const]
  })
  const email = textOf(read('email'), 254)
  // What the provider has proven is this address, letter by letter: one that would have to be folded is another
  // mailbox.
  const usable =
    email !== undefined && isEmail(email) && isPlainAddress(email) ? normalizeEmail(email) : undefined
  const externalId = String(claims.idToken.sub)
  return {
    issuer: claims.issuer,
    externalId,
    email: usable,
    emailVerified: usable !== undefined && isVouchedFor(usable, provider, claims),
    firstName: textOf(read('firstName'), MAX_TEXT),
    lastName: textOf(read('lastName'), MAX_TEXT),
    language: textOf(read('language'), 35),
    authData: { ...Object.fromEntries(authData), id: externalId, issuer: claims.issuer },
  }
}

/**
 * A provider of an organization speaks for the domains of that organization only: else whoever runs it could be
 * anybody of the platform.
 */
function isVouchedFor(email: string, provider: AuthProvider, claims: Claims): boolean {
  const isForeign = provider.source === 'database' || provider.domains.length > 0
  if (isForeign && !provider.domains.includes(mailDomainOf(email))) return false
  if (provider.meta.trustEmail === true) return true
  const sources = [claims.idToken, claims.userinfo]
  return sources.some((source) => source !== undefined && verifies(source, email))
}

/**
 * `email_verified` speaks of the claim `email` beside it, whatever the address is mapped from. Some providers send it
 * as a text.
 */
const verifies = (source: Readonly<Record<string, unknown>>, email: string): boolean =>
  typeof source.email === 'string' &&
  isPlainAddress(source.email.trim()) &&
  normalizeEmail(source.email) === email &&
  (source.email_verified === true || source.email_verified === 'true')

function textOf(value: unknown, maxLength: number): string | undefined {
  if (typeof value !== 'string') return undefined
  const text = value.replaceAll('\u0000', '').trim().slice(0, maxLength)
  return text === '' ? undefined : text
}

/** Small plain values and lists of texts; anything else is of no use in an account. */
function plainValue(value: unknown): unknown {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return value.slice(0, 50).flatMap((one) => textOf(one, MAX_TEXT) ?? [])
  return textOf(value, MAX_TEXT)
}
