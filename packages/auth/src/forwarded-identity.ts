import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { type Principal, type UserPrincipal, viaOf } from './principal.ts'

/** Sent for an operator with the internal key; a call that a service makes for itself has no such header. */
const PLATFORM_ROLE = 'platform'

/** The identity headers of a principal, as a flat raw list; the gateway sends them beside the internal key. */
export function identityHeaders(principal: Principal | undefined): string[] {
  if (principal === undefined) return []
  if (principal.kind === 'internal') return [names.role, PLATFORM_ROLE]
  if (principal.kind === 'apiKey') return [names.apiKeyId, principal.apiKeyId]
  if (principal.kind === 'workspace') return [names.authenticatedWorkspaceId, principal.workspaceId]
  const list = [names.userId, principal.userId, names.sessionId, principal.sessionId]
  list.push(names.authData, authDataOf(principal))
  if (principal.scopes.length > 0) list.push(names.scope, principal.scopes.join(' '))
  if (principal.superAdmin) list.push(names.role, 'superadmin')
  if (principal.clientId !== undefined) list.push(names.clientId, principal.clientId)
  if (principal.lentTo !== undefined) list.push(names.lentTo, principal.lentTo)
  if (principal.apiKeyId !== undefined) list.push(names.apiKeyId, principal.apiKeyId)
  return list
}

/**
 * Reads what `identityHeaders` wrote. Call it only after `requireInternalKey`. Throws RequestValidationError for
 * anything else.
 */
export function readIdentity(headers: IncomingHttpHeaders): Principal | undefined {
  const userId = text(headers[names.userId])
  const apiKeyId = text(headers[names.apiKeyId])
  if (userId === undefined) return withoutUser(apiKeyId, headers)
  const sessionId = text(headers[names.sessionId]) ?? ''
  const lentTo = text(headers[names.lentTo])
  const { email, anonymous } = parseAuthData(text(headers[names.authData]))
  return {
    kind: 'user',
    userId,
    sessionId,
    via: viaOf(sessionId),
    anonymous,
    superAdmin: headers[names.role] === 'superadmin',
    scopes: scopesOf(text(headers[names.scope])),
    clientId: text(headers[names.clientId]),
    email,
    apiKeyId,
    ...(lentTo === undefined ? {} : { lentTo, thirdParty: true }),
  }
}

function withoutUser(
  apiKeyId: string | undefined,
  { [names.role]: role, [names.authenticatedWorkspaceId]: workspaceId }: IncomingHttpHeaders,
): Principal | undefined {
  if (apiKeyId !== undefined) return { kind: 'apiKey', apiKeyId }
  if (typeof workspaceId === 'string') return { kind: 'workspace', workspaceId }
  return role === PLATFORM_ROLE ? { kind: 'internal' } : undefined
}

/** Compares in constant time; 401 unless the header holds the internal key. */
export function requireInternalKey(given: string | string[] | undefined, internalKey: Buffer): void {
  if (isInternalKey(given, internalKey)) return
  throw new Failure('AuthenticationError', 'This address takes calls of the platform only: use the gateway.')
}

/** True when a header value is the internal key. */
export function isInternalKey(given: string | string[] | undefined, internalKey: Buffer): boolean {
  if (typeof given !== 'string') return false
  const bytes = Buffer.from(given)
  return bytes.length === internalKey.length && timingSafeEqual(bytes, internalKey)
}

/** Encoded, because an e-mail address may hold what a header may not. */
const authDataOf = ({ email, anonymous }: UserPrincipal): string =>
  encodeURIComponent(JSON.stringify({ email, anonymous: anonymous || undefined }))

function parseAuthData(value: string | undefined): { email: string | undefined; anonymous: boolean } {
  if (value === undefined) return { email: undefined, anonymous: false }
  try {
    const data = JSON.parse(decodeURIComponent(value)) as { email?: string; anonymous?: boolean }
    return { email: data.email, anonymous: data.anonymous === true }
  } catch {
    throw new Failure('RequestValidationError', `The header ${names.authData} is not valid.`)
  }
}

const scopesOf = (value: string | undefined): string[] =>
  value === undefined || value === '' ? [] : value.split(' ')

const text = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined
