import { createAccessToken } from '@platform/contracts'
import type { SignedIn } from './signed-in.ts'
import { startIdentity, type TestIdentity } from './start-identity.ts'

/** Identity with ada signed in. */
export async function startWithAda() {
  const gateway = await startIdentity()
  return {
    gateway,
    ada: await gateway.signIn({ userId: 'ada' }),
    [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose](),
  }
}

export type WithAda = Awaited<ReturnType<typeof startWithAda>>

export const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** A token of an hour. */
export const createFor = (gateway: Pick<TestIdentity, 'client'>, who: SignedIn, name = 'ci') =>
  gateway.client(who.headers)(createAccessToken, { body: { name, expiresAt: inSeconds(3600) } })
