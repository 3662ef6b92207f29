import { endAllSessions } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { me, refusedWithin, startTwoInstances, type TwoInstances } from '../../test/sessions.ts'

let pair: TwoInstances
let gateway: TwoInstances['gateway']
let other: TwoInstances['other']
beforeAll(async () => {
  pair = await startTwoInstances()
  ;({ gateway, other } = pair)
})
afterAll(() => pair[Symbol.asyncDispose]())

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
