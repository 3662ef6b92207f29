import { getMe } from '@platform/contracts'
import { expect, vi } from 'vitest'
import { type SignedIn, startGateway, startUpstream, type TestGateway } from '../testing.ts'

/**
 * Two instances of the gateway on one database, in front of one service: what is ended at one must end at the other.
 */
export async function startTwoGateways() {
  const service = await startUpstream()
  const gateway = await startGateway({ services: service.url })
  const other = await startGateway({ databaseUrl: gateway.databaseUrl, services: service.url })
  return {
    service,
    gateway,
    other,
    async [Symbol.asyncDispose]() {
      for (const one of [other, gateway, service]) await one[Symbol.asyncDispose]()
    },
  }
}

export type TwoGateways = Awaited<ReturnType<typeof startTwoGateways>>

/** Who the caller is, asked at one instance. */
export const me = (at: TestGateway, who: SignedIn) => at.client(who.headers)(getMe)

/** Resolves when the credential is refused there; rejects when it still is not in time. */
export const refusedWithin = (at: TestGateway, who: SignedIn, timeout: number) =>
  vi.waitFor(() => expect(me(at, who)).rejects.toMatchObject({ status: 401, name: 'AuthenticationError' }), {
    timeout,
    interval: 20,
  })
