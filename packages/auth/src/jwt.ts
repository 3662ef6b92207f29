import type { KeyObject } from 'node:crypto'
import { Failure } from '@platform/kernel'
import jwt from 'jsonwebtoken'

/** The nine claims of a JWT of the platform, no more and no fewer. */
export interface JwtClaims {
  prismeaiSessionId: string
  jti: string
  sub: string
  /** Unix seconds. */
  iat: number
  /** Unix seconds. */
  exp: number
  scope: string
  client_id: string
  iss: string
  aud: string
}

/** How far clocks may differ, in seconds. */
export const CLOCK_LEEWAY_SECONDS = 5

const JWT_TYPE = 'at+jwt'
const KID = /^[A-Za-z0-9_-]{8,64}$/
const MAX_LENGTH = 8192

/** How each JWT of the platform begins: `{"` in base64url. */
export const JWT_START = 'eyJ'

/** Signs claims with a private key; the header names the key, so that it alone decides the algorithm when verified. */
export const signJwt = (claims: JwtClaims, key: SigningKey): string => signTyped(claims, JWT_TYPE, key)

/** A private key with its id and the one algorithm it signs by. */
interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: KeyObject
}

/** The same for claims of another type: the header says which, so that one never passes for another. */
export const signTyped = (claims: object, typ: string, { kid, alg, privateKey }: SigningKey): string =>
  jwt.sign(claims, privateKey, { algorithm: alg as jwt.Algorithm, header: { typ, alg, kid } })

/** What a JWT is checked against. */
export interface JwtCheck {
  /** The published key of that id. Only asked for ids of the right shape. */
  findKey(kid: string): VerifyingKey | undefined | Promise<VerifyingKey | undefined>
  issuer: string
  audience: string
  now: Date
  /** True where one that has expired counts as well. */
  ignoresExpiry?: boolean
}

/** A public key and the one algorithm it verifies. */
export interface VerifyingKey {
  alg: string
  publicKey: KeyObject
}

/**
 * The claims of a JWT that this platform signed as an access token. Throws AuthenticationError for anything else;
 * what `findKey` throws passes through, so that a store that is down never looks like a bad token.
 */
export const verifyJwt = async (token: string, check: JwtCheck): Promise<JwtClaims> =>
  requireClaims(await verifyTyped(token, JWT_TYPE, check), check)

/** The payload of a JWT of this type, whatever it claims beside issuer, audience and its time. */
export async function verifyTyped(token: string, typ: string, check: JwtCheck): Promise<unknown> {
  const header = readHeader(token, typ)
  const key = await check.findKey(header.kid)
  if (key === undefined || key.alg !== header.alg) throw invalidJwt()
  return verified(token, key, check)
}

/**
 * True when a bearer value claims to be a JWT of `issuer`. Nothing is verified: it only tells whose credential it is.
 */
export function claimsIssuer(token: string, issuer: string): boolean {
  const payload = token.split('.', 3)[1]
  return payload !== undefined && decodePart(payload)?.iss === issuer
}

/** The session a JWT claims to belong to. Nothing is verified. */
export function claimedSession(token: string): string | undefined {
  const payload = token.split('.', 3)[1]
  const sessionId = payload === undefined ? undefined : decodePart(payload)?.prismeaiSessionId
  return typeof sessionId === 'string' ? sessionId : undefined
}

/**
 * Everything about the header is decided before a key is looked up: type, algorithm, key id, and nothing critical or
 * embedded.
 */
function readHeader(token: string, typ: string): { kid: string; alg: string } {
  const parts = token.length <= MAX_LENGTH ? token.split('.') : []
  const [head = '', , signature = ''] = parts
  const header = parts.length === 3 && isCanonical(signature) ? decodePart(head) : undefined
  // Ours have these three parameters. Any other (crit, b64, zip, jwk, jku, x5c, x5u …) would be an instruction to
  // whoever verifies.
  if (header === undefined || header.typ !== typ || Object.keys(header).length !== 3) throw invalidJwt()
  const { kid, alg } = header
  if (typeof kid !== 'string' || typeof alg !== 'string' || !KID.test(kid)) throw invalidJwt()
  return { kid, alg }
}

/** The last character of base64url has unused bits: two spellings of one signature would be two tokens. */
const isCanonical = (part: string): boolean => Buffer.from(part, 'base64url').toString('base64url') === part

function decodePart(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}

let checked = 0

/** How many signatures this process has checked; for metrics. */
export const checkedSignatures = (): number => checked

function verified(token: string, key: VerifyingKey, check: JwtCheck): unknown {
  checked += 1
  try {
    return jwt.verify(token, key.publicKey, {
      algorithms: [key.alg as jwt.Algorithm],
      issuer: check.issuer,
      audience: check.audience,
      clockTolerance: CLOCK_LEEWAY_SECONDS,
      ignoreExpiration: check.ignoresExpiry === true,
      clockTimestamp: Math.floor(check.now.getTime() / 1000),
    })
  } catch (error) {
    if (error instanceof jwt.TokenExpiredError) {
      throw new Failure('AuthenticationError', 'The token has expired: sign in again.')
    }
    throw invalidJwt()
  }
}

const texts = ['prismeaiSessionId', 'jti', 'sub', 'client_id', 'iss', 'aud'] as const

/** A valid signature proves who wrote the claims, not that they are those of an access token. */
function requireClaims(payload: unknown, check: JwtCheck): JwtClaims {
  const claims = payload as Partial<JwtClaims>
  const textsPresent = texts.every((name) => typeof claims[name] === 'string' && claims[name] !== '')
  const { iat, exp } = claims
  if (!textsPresent || typeof claims.scope !== 'string') throw invalidJwt()
  if (!Number.isSafeInteger(iat) || !Number.isSafeInteger(exp)) throw invalidJwt()
  if (Number(iat) < 0 || Number(exp) <= Number(iat)) throw invalidJwt()
  if (Number(iat) * 1000 > check.now.getTime() + CLOCK_LEEWAY_SECONDS * 1000) throw invalidJwt()
  return claims as JwtClaims
}

/** The refusal of every token that is not one of ours: it says nothing that helps to make a better one. */
export const invalidJwt = () => new Failure('AuthenticationError', 'The token is not valid: sign in again.')
