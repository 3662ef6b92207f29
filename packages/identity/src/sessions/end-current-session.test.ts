import { createAnonymousSession, endCurrentSession, getMe } from '@platform/contracts'
import { sql } from '@platform/database'
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

describe('signing out', () => {
  test('ends the session on every instance within a second, and no other session', async () => {
    const [here, there] = [await gateway.signIn({ userId: 'ada' }), await gateway.signIn({ userId: 'ada' })]
    for (const at of [gateway, other]) await Promise.all([me(at, here), me(at, there)])
    const response = await fetch(`${gateway.url}/v2/user/sessions/current`, {
      method: 'DELETE',
      headers: here.headers,
    })
    expect(await response.json()).toEqual({ success: true })
    expect(response.headers.get('set-cookie')).toMatch(/^access-token=; Max-Age=0; Path=\/; HttpOnly/)
    await refusedWithin(gateway, here, 1000)
    await refusedWithin(other, here, 1000)
    for (const at of [gateway, other]) expect(await me(at, there)).toMatchObject({ id: 'ada' })
  })

  test('reaches an instance that hears no announcement within five seconds', async () => {
    const dan = await gateway.signIn()
    await me(other, dan)
    // What an instance writes that can't reach the broker.
    await gateway.database.many(sql`update gateway.sessions set ended_at = now() where id = ${dan.sessionId}`)
    await gateway.database.many(sql`insert into gateway.revocations (id) values (${dan.sessionId})`)
    await refusedWithin(other, dan, 5000)
  })

  test('is for visitors too', async () => {
    const { token } = await gateway.client()(createAnonymousSession)
    const headers = { authorization: `Bearer ${token}` }
    expect(await gateway.client(headers)(endCurrentSession)).toEqual({ success: true })
    await expect(gateway.client(headers)(getMe)).rejects.toMatchObject({ status: 401 })
  })

  test('needs a session, one that has not ended already', async () => {
    await expect(gateway.client()(endCurrentSession)).rejects.toMatchObject({ status: 401 })
    const ended = await gateway.signIn()
    await gateway.client(ended.headers)(endCurrentSession)
    await expect(gateway.client(ended.headers)(endCurrentSession)).rejects.toMatchObject({ status: 401 })
  })
})
