import { resourceScopes } from '@platform/contracts'
import { type Database, sql } from '@platform/database'
import { systemClock, uuidv7 } from '@platform/kernel'
import { masterKeyRing } from '@platform/master-keys'
import { KeyRing, sealedKeys, signingKeyStore } from '@platform/signing-keys'
import { gatewayKeys } from '../src/keys/keys-part.ts'
import { jwtMint } from '../src/keys/mint-jwt.ts'
import { sessionStore } from '../src/sessions/session-store.ts'
import { noTrail } from '../src/sessions/session-trail.ts'
import { liveSessions } from '../src/sessions/sessions.ts'

const ISSUER = 'http://localhost:3001/oidc'
const AUDIENCE = 'http://localhost:3001/v2'
const MASTER_KEY = Buffer.alloc(32, 7)

/** What a test changes of somebody who is signed in. */
export interface SignInOptions {
  userId?: string
  superAdmin?: boolean
  scopes?: readonly string[]
  expiresInSeconds?: number
  /** The application that obtained the JWT; the console without it. */
  clientId?: string
}

/** Somebody who is signed in, with the JWT to prove it. */
export interface SignedIn {
  userId: string
  sessionId: string
  jwt: string
  headers: { authorization: string }
}

/** Signs people in as the OIDC server would: a user, a session, and a JWT by the key of the installation. */
export async function signsPeopleIn(database: Database) {
  const sealed = sealedKeys(masterKeyRing([{ id: 'test', key: MASTER_KEY }]), gatewayKeys)
  const keyRing = new KeyRing(
    async () => (await signingKeyStore(database, gatewayKeys).list()).map(sealed.open),
    systemClock,
  )
  await keyRing.reload()
  const mint = jwtMint({ keyRing, issuer: ISSUER, audience: AUDIENCE, clock: systemClock })
  const sessions = liveSessions({
    records: sessionStore(database, noTrail),
    broadcast: async () => undefined,
    clock: systemClock,
  })

  const signIn = async (options: SignInOptions = {}): Promise<SignedIn> => {
    const userId = options.userId ?? uuidv7()
    await database.many(sql`
      insert into gateway.users (id, email, status, platform_role)
      values (${userId}, ${`${userId}@example.com`}, 'validated', ${options.superAdmin ? 'superAdmin' : null})
      on conflict (id) do nothing`)
    const expiresAt = new Date(Date.now() + (options.expiresInSeconds ?? 3600) * 1000)
    const owner = { userId, clientId: options.clientId ?? 'local-client-id', expiresAt }
    const { sessionId } = await sessions.start({ ...owner, anonymous: false })
    const jwt = mint({ ...owner, sessionId, scopes: options.scopes ?? resourceScopes })
    return { userId, sessionId, jwt, headers: { authorization: `Bearer ${jwt}` } }
  }
  return { keyRing, mint, signIn }
}
