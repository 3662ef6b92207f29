import { createAnonymousSession, endSession } from '@platform/contracts'
import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { me, refusedWithin, startTwoInstances, type TwoInstances } from '../../test/sessions.ts'

let pair: TwoInstances
let gateway: TwoInstances['gateway']
beforeAll(async () => {
  pair = await startTwoInstances()
  ;({ gateway } = pair)
})
afterAll(() => pair[Symbol.asyncDispose]())

const end = (headers: Record<string, string>, sessionId: string) =>
  gateway.client(headers)(endSession, { params: { sessionId } })

describe('ending a session of one’s own', () => {
  test('signs the other device out everywhere within a second, and leaves this one', async () => {
    const userId = uuidv7()
    const [here, lost] = [await gateway.signIn({ userId }), await gateway.signIn({ userId })]
    await me(pair.other, lost)
    expect(await end(here.headers, lost.sessionId)).toEqual({ id: lost.sessionId })
    for (const at of [gateway, pair.other]) await refusedWithin(at, lost, 1000)
    expect(await me(gateway, here)).toMatchObject({ id: userId })
  })

  test('is audited, once', async () => {
    const userId = uuidv7()
    const [here, lost] = [await gateway.signIn({ userId }), await gateway.signIn({ userId })]
    await end(here.headers, lost.sessionId)
    await expect(end(here.headers, lost.sessionId)).rejects.toMatchObject({ status: 404 })
    const rows = await gateway.database.many(sql`
      select action, actor, ip from audit.entries where subject = ${`session:${lost.sessionId}`}`)
    expect(rows).toEqual([{ action: 'session.ended', actor: `user:${userId}`, ip: '127.0.0.1' }])
  })

  test('answers the session of somebody else exactly as one that never was', async () => {
    const [eve, ada] = [await gateway.signIn(), await gateway.signIn()]
    const attempt = async (sessionId: string) => {
      const response = await fetch(`${gateway.url}/v2/user/sessions/${sessionId}`, {
        method: 'DELETE',
        headers: { ...eve.headers, 'x-correlation-id': 'the-same-for-both' },
      })
      const { date: _, ...headers } = Object.fromEntries(response.headers)
      return { status: response.status, headers, body: await response.text() }
    }
    const [foreign, missing] = [await attempt(ada.sessionId), await attempt(crypto.randomUUID())]
    expect(foreign.status).toBe(404)
    expect(foreign).toEqual(missing)
    expect(await me(gateway, ada)).toMatchObject({ id: ada.userId })
  })

  test('needs a credential, and none of a token; strange ids are simply not there', async () => {
    const { headers, sessionId } = await gateway.signIn()
    await expect(end({}, sessionId)).rejects.toMatchObject({ status: 401 })
    for (const id of ['x', "' or 1=1 --", 'at:x', 'a'.repeat(500)])
      await expect(end(headers, id)).rejects.toMatchObject({ status: 404 })
    const visitor = await gateway.client()(createAnonymousSession)
    const own = { authorization: `Bearer ${visitor.token}` }
    expect(await end(own, visitor.sessionId)).toEqual({ id: visitor.sessionId })
  })
})
