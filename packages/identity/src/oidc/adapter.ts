import type { JwtClaims } from '@platform/auth'
import { StoreError } from '@platform/kernel'
import { type Adapter, type AdapterFactory, type AdapterPayload, errors, Provider } from 'oidc-provider'
import type { ReadAccessToken } from './access-token-reader.ts'
import { type ClientRecordNeeds, clientRecords } from './client-records.ts'
import { unmarked } from './form-request.ts'
import type { GrantSessions } from './grant-sessions.ts'
import type { OidcRecordStore } from './oidc-record-store.ts'
import type { SignInStore } from './sign-in-store.ts'

interface Needs extends ClientRecordNeeds {
  records: OidcRecordStore
  signInStore: Pick<SignInStore, 'findOfSession'>
  grantSessions: Pick<GrantSessions, 'endGrant' | 'endClient'>
  readAccessToken: ReadAccessToken
}

/** Where the OIDC server keeps what it remembers. Several servers, and several processes, may share it. */
export const oidcAdapter =
  (deps: Needs): AdapterFactory =>
  (model) => ({ ...recordsOf(model, deps), ...special[model]?.(deps) })

const recordsOf = (model: string, { records, grantSessions }: Needs): Adapter => ({
  upsert: (id, payload, expiresIn) => records.upsert(model, id, payload, expiresIn).catch(refuseUnkept),
  find: (id) => records.find(model, id).catch(refuseUnkept),
  findByUid: (uid) => records.findByUid(model, uid).catch(refuseUnkept),
  findByUserCode: (userCode) => records.findByUserCode(model, userCode).catch(refuseUnkept),
  destroy: (id) => records.destroy(model, id).catch(refuseUnkept),
  revokeByGrantId: (grantId) => records.revokeByGrantId(model, grantId).catch(refuseUnkept),

  /**
   * Of many that come with the same code or refresh token at once, one wins; then all it got is revoked, as after any
   * replay.
   */
  async consume(id) {
    const { won, grantId } = await records.consume(model, id).catch(refuseUnkept)
    if (won) return
    if (grantId !== undefined) await grantSessions.endGrant(grantId, REUSED)
    throw new errors.InvalidGrant('it was already used')
  },
})

/** Why a session has ended, for the audit trail. */
const REUSED = { reason: 'tokenReuse' }

/** Who asks for tokens loses a grant only by showing a code or refresh token that was used before. */
const endingOfGrant = () => (Provider.ctx?.oidc.route === 'token' ? REUSED : undefined)

/** SQLSTATEs of a text the database can't hold, in a column or inside JSON. */
const UNKEPT = new Set(['22021', '22P05'])

/** Such a text came with the request, so the request is at fault; anything else is thrown on. */
function refuseUnkept(error: unknown): never {
  if (error instanceof StoreError && UNKEPT.has(error.code ?? ''))
    throw new errors.InvalidRequest('a parameter holds a character that no text here may have', 400, {
      cause: error,
    })
  throw error
}

const refusing = ({ upsert, find, destroy }: ReturnType<typeof clientRecords>): Partial<Adapter> => ({
  upsert: (id, payload, expiresIn) => Promise.resolve(upsert(id, payload, expiresIn)).catch(refuseUnkept),
  find: (id) => Promise.resolve(find(id)).catch(refuseUnkept),
  destroy: (id) => Promise.resolve(destroy(id)).catch(refuseUnkept),
})

const special: Record<string, (deps: Needs) => Partial<Adapter>> = {
  /** Access tokens are JWTs and kept nowhere: what is known of one is read from it and from its session. */
  AccessToken: (deps) => ({ find: (token) => findJwt(token, deps) }),
  ClientCredentials: (deps) => ({ find: (token) => findProgramJwt(token, deps) }),
  Client: (deps) => refusing(clientRecords(deps)),
  /** Destroying a grant is how the server revokes it. */
  Grant: ({ grantSessions }) => ({ destroy: (grantId) => grantSessions.endGrant(grantId, endingOfGrant()) }),
}

/** What is known of a token of ours; undefined when it is not valid any more. */
async function findJwt(token: string, deps: Needs): Promise<AdapterPayload | undefined> {
  const marked = unmarked(token)
  const claims = await deps.readAccessToken(marked ?? token)
  if (claims === undefined || isOfProgram(claims)) return undefined
  const signIn = await deps.signInStore.findOfSession(claims.prismeaiSessionId)
  const { jti, iat, exp, client_id: clientId, sub: accountId } = claims
  const known = { kind: 'AccessToken', jti, iat, exp, clientId, accountId, grantId: signIn?.grantId }
  if (marked !== undefined) {
    const { aud, scope, prismeaiSessionId } = claims
    return { ...known, aud, scope, extra: { prismeaiSessionId } }
  }
  const scope = signIn && (await personalScope(signIn.grantId, deps))
  return scope === undefined ? undefined : { ...known, scope }
}

/** A token that a program has got for itself: only to be asked about or revoked, as it says nothing about a person. */
async function findProgramJwt(token: string, deps: Needs): Promise<AdapterPayload | undefined> {
  const marked = unmarked(token)
  const claims = marked === undefined ? undefined : await deps.readAccessToken(marked)
  if (claims === undefined || !isOfProgram(claims)) return undefined
  const { jti, iat, exp, client_id: clientId, aud, scope, sub, prismeaiSessionId } = claims
  return { kind: 'ClientCredentials', jti, iat, exp, clientId, aud, scope, extra: { prismeaiSessionId, sub } }
}

const isOfProgram = (claims: JwtClaims): boolean => claims.sub === claims.client_id

/** The scopes userinfo goes by: those of the person's data, which stand in the grant instead of the token. */
async function personalScope(grantId: string, { records }: Needs): Promise<string | undefined> {
  const grant = (await records.find('Grant', grantId)) as { openid?: { scope?: string } } | undefined
  return grant?.openid?.scope
}
