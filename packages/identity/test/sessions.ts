import { getMe } from '@platform/contracts'
import { promptly } from '@platform/testing'
import { expect } from 'vitest'
import type { SignedIn } from './signed-in.ts'
import { startIdentity, type TestIdentity } from './start-identity.ts'

/** Two instances on one database: what is ended at one must end at the other. */
export async function startTwoInstances() {
  const gateway = await startIdentity()
  const other = await startIdentity({ databaseUrl: gateway.databaseUrl })
  return {
    gateway,
    other,
    async [Symbol.asyncDispose]() {
      for (const one of [other, gateway]) await one[Symbol.asyncDispose]()
    },
  }
}

export type TwoInstances = Awaited<ReturnType<typeof startTwoInstances>>

/** Who the caller is, asked at one instance. */
export const me = (at: Pick<TestIdentity, 'client'>, who: SignedIn) => at.client(who.headers)(getMe)

/** Resolves when the credential is refused there; rejects when it still was not in time. */
export const refusedWithin = (at: Pick<TestIdentity, 'client'>, who: SignedIn, limitMs: number) =>
  promptly(limitMs, () =>
    expect(me(at, who)).rejects.toMatchObject({ status: 401, name: 'AuthenticationError' }),
  )
