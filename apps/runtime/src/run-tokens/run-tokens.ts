import { randomUUID } from 'node:crypto'
import { RUN_TOKEN_SECONDS, type RunTokenClaims, signRunToken, verifyRunToken } from '@platform/auth'
import { type Clock, Failure } from '@platform/kernel'
import type { KeyRing } from '@platform/signing-keys'
import type { CallDetails, CallingFrame } from '../fetches/own-api.ts'

interface Needs {
  readonly keyRing: Pick<KeyRing, 'canSign' | 'signing' | 'find' | 'findOrReload'>
  /** Makes the first key, or another where the one that signed was deleted. */
  readonly makeKey: () => Promise<void>
  readonly issuer: string
  readonly audience: string
  readonly clock: Clock
}

/** Makes what runs show who they are with. */
export class RunTokens {
  readonly #needs: Needs

  constructor(needs: Needs) {
    this.#needs = needs
  }

  /** The token of one request to the platform. */
  async ofCall(frame: CallingFrame, { apiKeyId, asWorkspace }: CallDetails): Promise<string> {
    const { userId, sessionId } = frame
    const isSomebody = userId !== undefined && sessionId !== undefined && !asWorkspace
    return await this.#sign(frame, {
      purpose: 'call',
      ...(isSomebody ? { sub: userId, prismeaiSessionId: sessionId } : {}),
      ...(apiKeyId === undefined ? {} : { apiKeyId }),
      ...(asWorkspace ? { asWorkspace } : {}),
    })
  }

  /** What an automation holds to make calls of its workspace's own. */
  proofOf(frame: CallingFrame): Promise<string> {
    return this.#sign(frame, { purpose: 'proof' })
  }

  /**
   * Whether a text is such a proof of this run, or one of another run of its workspace that has not expired: a run that
   * waited, or is done again, goes on with what it has.
   */
  async isProof(token: string, { workspaceId, runId }: CallingFrame): Promise<boolean> {
    const { keyRing, issuer, audience, clock } = this.#needs
    const findKey = (kid: string) => keyRing.find(kid) ?? keyRing.findOrReload(kid)
    const check = { findKey, issuer, audience, now: clock.now(), ignoresExpiry: true }
    try {
      const claims = await verifyRunToken(token, 'proof', check)
      const isFresh = claims.exp * 1000 > check.now.getTime()
      return claims.workspaceId === workspaceId && (claims.runId === runId || isFresh)
    } catch (error) {
      if (error instanceof Failure) return false
      throw error
    }
  }

  async #sign(
    { workspaceId, runId, depth, correlationId }: CallingFrame,
    more: Pick<RunTokenClaims, 'purpose' | 'sub' | 'prismeaiSessionId' | 'apiKeyId' | 'asWorkspace'>,
  ): Promise<string> {
    const { keyRing, makeKey, issuer: iss, audience: aud, clock } = this.#needs
    if (!keyRing.canSign) await makeKey()
    const iat = Math.floor(clock.now().getTime() / 1000)
    const exp = iat + RUN_TOKEN_SECONDS
    const claims = {
      ...more,
      jti: randomUUID(),
      iat,
      exp,
      iss,
      aud,
      workspaceId,
      runId,
      depth,
      correlationId,
    }
    return signRunToken(claims, keyRing.signing())
  }
}
