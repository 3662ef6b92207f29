import { endAllSessions, getMe } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type SignedIn, startGateway, startUpstream, type TestGateway, type Upstream } from '../testing.ts'

let service: Upstream
let gateway: TestGateway
let other: TestGateway
beforeAll(async () => {
  service = await startUpstream()
  gateway = await startGateway({ services: service.url })
  other = await startGateway({ databaseUrl: gateway.databaseUrl, services: service.url })
})
afterAll(async () => {
  await other[Symbol.asyncDispose]()
  await gateway[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const me = (at: TestGateway, who: SignedIn) => at.client(who.headers)(getMe)
const refusedWithin = (at: TestGateway, who: SignedIn, timeout: number) =>
  vi.waitFor(() => expect(me(at, who)).rejects.toMatchObject({ status: 401, name: 'AuthenticationError' }), {
    timeout,
    interval: 20,
  })

describe('signing out everywhere', () => {
  test('ends all sessions of the caller and nobody else’s', async () => {
    const bob = await gateway.signIn({ userId: 'bob' })
    const sessions = await Promise.all([1, 2, 3].map(() => gateway.signIn({ userId: 'cleo' })))
    for (const session of sessions) await me(other, session)
    await gateway.client(sessions[0]?.headers)(endAllSessions)
    for (const session of sessions) await refusedWithin(other, session, 1000)
    expect(await me(other, bob)).toMatchObject({ id: 'bob' })
  })

  test('needs a session', async () => {
    await expect(gateway.client()(endAllSessions)).rejects.toMatchObject({ status: 401 })
    const bad = { authorization: 'Bearer nonsense' }
    await expect(gateway.client(bad)(endAllSessions)).rejects.toMatchObject({ status: 401 })
  })
})
