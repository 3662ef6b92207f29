import type {
  Authentication,
  AuthenticationCache,
  CredentialResolver,
  Credentials,
  Found,
  runTokenCredential,
} from '@platform/auth'
import { headers as names } from '@platform/contracts'
import { Failure, MINUTE_MS } from '@platform/kernel'
import type { RecentUses } from '../credentials/recent-uses.ts'
import type { CookieOnReceivers } from './cookie-on-receivers.ts'
import type { IdentifiedRequest } from './identified-request.ts'
import { readCredentials } from './read-credentials.ts'

/** What identifying needs. */
export interface IdentifyDeps {
  issuer: string
  cookieOnReceivers: CookieOnReceivers
  cache: AuthenticationCache
  runTokens: ReturnType<typeof runTokenCredential>
  authenticate: (credentials: Credentials) => Found
  internalKey: CredentialResolver
  /** False when endings of sessions may have been missed. */
  isCurrent: () => boolean
  /**
   * Told of each request with a JWT, an access token or an API key, by the id of its session or of the token's or
   * key's record.
   */
  uses: Record<'session' | 'accessToken' | 'apiKey', Pick<RecentUses, 'note'>>
}

/**
 * How long a super administrator who was seen valid is let in to the readiness report without a database.
 */
const TRUSTED_MS = 10 * MINUTE_MS
const VERSIONED = '/v2'

/**
 * Credential → caller, or nobody. Throws AuthenticationError for a bad credential, wherever it is sent.
 */
export const identify =
  (deps: IdentifyDeps) =>
  (call: IdentifiedRequest): void | Promise<void> => {
    // The OIDC server and the sign-in pages take credentials of their own.
    if (call.forwarding === undefined && !call.path.startsWith(VERSIONED)) return undefined
    const token = call.request.headers[names.runToken]
    return token === undefined ? identifyCaller(deps, call) : identifyRun(deps, call, token)
  }

/**
 * A run of the platform's own calls: whoever it acts for, unless the request has a credential beside. What it was begun
 * with is asked for again when a response goes on; its token is not, which was for the request.
 */
async function identifyRun(
  deps: IdentifyDeps,
  call: IdentifiedRequest,
  token: string | string[],
): Promise<void> {
  if (!deps.isCurrent()) throw notChecked()
  const { correlationId, startedAt: now } = call
  call.run ??= await deps.runTokens.check({ token, correlationId, now })
  await identifyCaller(deps, call)
  if (call.principal === undefined) admit(deps, call, await deps.runTokens.open(call.run))
}

function identifyCaller(deps: IdentifyDeps, call: IdentifiedRequest): void | Promise<void> {
  const credentials = readCredentials(call, deps)
  if (credentials === undefined) return undefined
  call.byCookie = credentials.cookie !== undefined
  const found = deps.isCurrent()
    ? deps.authenticate(credentials)
    : withoutDatabase(deps, call.path, credentials)
  if (found instanceof Promise) {
    const since = performance.now()
    return found.then((caller) => {
      call.credentialMs = performance.now() - since
      admit(deps, call, caller)
    })
  }
  return admit(deps, call, found)
}

function admit(deps: IdentifyDeps, call: IdentifiedRequest, caller: Authentication | undefined): void {
  if (caller === undefined) return
  call.authentication = caller
  call.principal = caller.principal
  if (deps.isCurrent()) caller.seenAt = call.startedAt
  const { principal } = caller
  if (principal.kind === 'internal' || principal.kind === 'workspace') return
  const { clientIp, startedAt } = call
  if (principal.apiKeyId !== undefined) deps.uses.apiKey.note(principal.apiKeyId, clientIp, startedAt)
  if (principal.kind === 'apiKey') return
  if (principal.via === 'jwt') deps.uses.session.note(principal.sessionId, clientIp, startedAt)
  else deps.uses.accessToken.note(principal.sessionId.slice('at:'.length), clientIp, startedAt)
}

/** Whether a session has ended can't be known now, so nobody is told that theirs has: the check can't be done. */
function withoutDatabase(deps: IdentifyDeps, path: string, credentials: Credentials): Found {
  const platform = deps.internalKey(credentials)
  if (platform !== undefined) return platform
  const caller = deps.cache.find(credentials.bearer ?? credentials.cookie ?? '', credentials.now)
  if (path === '/v2/readiness' && caller !== undefined && credentials.now - caller.seenAt < TRUSTED_MS)
    return caller
  throw notChecked()
}

const notChecked = () =>
  new Failure('ServiceUnavailable', 'The credential can’t be checked at the moment: try again shortly.')
