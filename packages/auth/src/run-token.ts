import { Failure } from '@platform/kernel'
import { CLOCK_LEEWAY_SECONDS, type JwtCheck, signTyped, verifyTyped } from './jwt.ts'

/** How long a token of a run counts: it is made when a request leaves. */
export const RUN_TOKEN_SECONDS = 10

/**
 * What a token of a run is for: `call` says to the gateway whose run a request comes from; `proof` is what an
 * automation holds to show its workspace, which counts nowhere but in the runtime.
 */
export type RunTokenPurpose = 'call' | 'proof'

const typeOf = { call: 'run+jwt', proof: 'workspace+jwt' } as const

/** What a token of a run says. */
export interface RunTokenClaims {
  readonly purpose: RunTokenPurpose
  readonly jti: string
  /** Unix seconds. */
  readonly iat: number
  /** Unix seconds. */
  readonly exp: number
  readonly iss: string
  readonly aud: string
  /** The workspace whose run it is. */
  readonly workspaceId: string
  readonly runId: string
  /** How many automations stand behind one another there. */
  readonly depth: number
  readonly correlationId: string
  /** The user the run acts for, and the session they began it with. */
  readonly sub?: string
  readonly prismeaiSessionId?: string
  /** The API key of the workspace that the call is made with. */
  readonly apiKeyId?: string
  /** True where the call is the workspace's own. */
  readonly asWorkspace?: boolean
}

/** Signs what a run says of itself. */
export const signRunToken = (claims: RunTokenClaims, key: Parameters<typeof signTyped>[2]): string =>
  signTyped(claims, typeOf[claims.purpose], key)

/**
 * The claims of a token that a runtime has signed for this purpose. Throws AuthenticationError for anything else; what
 * `findKey` throws passes through.
 */
export async function verifyRunToken(
  token: string,
  purpose: RunTokenPurpose,
  check: JwtCheck,
): Promise<RunTokenClaims> {
  const claims = (await verifyTyped(token, typeOf[purpose], check)) as Partial<RunTokenClaims>
  if (isRunToken(claims, check) && claims.purpose === purpose) return claims
  throw invalidRunToken()
}

const texts = ['jti', 'iss', 'aud', 'workspaceId', 'runId', 'correlationId'] as const
const optionalTexts = ['sub', 'prismeaiSessionId', 'apiKeyId'] as const

/** A signature proves who wrote the claims, not that they are these. */
function isRunToken(claims: Partial<RunTokenClaims>, { now }: JwtCheck): claims is RunTokenClaims {
  const { iat, exp, depth, asWorkspace = false } = claims
  if (!texts.every((name) => typeof claims[name] === 'string' && claims[name] !== '')) return false
  if (!optionalTexts.every((name) => claims[name] === undefined || typeof claims[name] === 'string'))
    return false
  if (![iat, exp, depth].every((number) => Number.isSafeInteger(number) && Number(number) >= 0)) return false
  const isShort = Number(exp) > Number(iat) && Number(exp) - Number(iat) <= RUN_TOKEN_SECONDS
  return (
    isShort &&
    Number(iat) * 1000 <= now.getTime() + CLOCK_LEEWAY_SECONDS * 1000 &&
    typeof asWorkspace === 'boolean'
  )
}

/** The refusal of every token that no run of the platform has sent just now. */
export const invalidRunToken = (): Failure =>
  new Failure(
    'AuthenticationError',
    'The token of the run is not valid: only the runtime makes it, for one request.',
  )
