import { createAccessToken } from '@platform/contracts'
import { type SignedIn, startGateway, startUpstream, type TestGateway } from '../testing.ts'

/** A gateway in front of a service, with ada signed in. */
export async function startWithAda() {
  const service = await startUpstream()
  const gateway = await startGateway({ services: service.url })
  return {
    service,
    gateway,
    ada: await gateway.signIn({ userId: 'ada' }),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}

export type WithAda = Awaited<ReturnType<typeof startWithAda>>

export const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** A token of an hour. */
export const createFor = (gateway: TestGateway, who: SignedIn, name = 'ci') =>
  gateway.client(who.headers)(createAccessToken, { body: { name, expiresAt: inSeconds(3600) } })
