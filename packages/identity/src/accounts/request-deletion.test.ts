import { createAccessToken, createAnonymousSession, getMe, requestDeletion } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWithMail, type WithMail } from '../../test/accounts.ts'
import { startIdentity } from '../../test/start-identity.ts'

let world: WithMail
let gateway: WithMail['gateway']
beforeAll(async () => {
  world = await startWithMail()
  gateway = world.gateway
})
afterAll(() => world[Symbol.asyncDispose]())

const ask = (headers: Record<string, string>) => gateway.client(headers)(requestDeletion)

describe('DELETE /v2/user', () => {
  test('mails a link and deletes nothing', async () => {
    const ada = await gateway.signIn()
    await gateway.database.many(sql`update gateway.users set language = 'fr' where id = ${ada.userId}`)
    expect(await ask(ada.headers)).toEqual({ success: true })
    const mail = await world.mailTo(`${ada.userId}@example.com`)
    expect(mail.subject).toContain('Supprimer votre compte')
    expect(mail.url).toMatch(/\/account\/deletion\?token=[0-9A-Za-z]{43}$/)
    expect((await gateway.client(ada.headers)(getMe)).id).toBe(ada.userId)
  })

  test('nobody is 401, a visitor and an access token 403', async () => {
    await expect(ask({})).rejects.toMatchObject({ status: 401 })
    const ada = await gateway.signIn()
    const visitor = await gateway.client()(createAnonymousSession)
    const expiresAt = new Date(Date.now() + 60_000).toISOString()
    const { token } = await gateway.client(ada.headers)(createAccessToken, {
      body: { name: 'ci', expiresAt },
    })
    for (const credential of [visitor.token, token])
      await expect(ask({ authorization: `Bearer ${credential}` })).rejects.toMatchObject({ status: 403 })
  })

  test('one mail a minute for one user, whatever others ask for', async () => {
    await using limited = await startIdentity({ env: { RATE_LIMIT_DISABLED: 'false' } })
    const [ada, eve] = [await limited.signIn(), await limited.signIn()]
    await limited.client(ada.headers)(requestDeletion)
    await expect(limited.client(ada.headers)(requestDeletion)).rejects.toMatchObject({ status: 429 })
    expect(await limited.client(eve.headers)(requestDeletion)).toEqual({ success: true })
  })
})
