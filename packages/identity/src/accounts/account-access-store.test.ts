import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { identityDatabase } from '../../test/identity-server.ts'
import { accountAccessStore } from './account-access-store.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
beforeAll(async () => {
  database = await identityDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

/** Somebody signed in from two browsers, with a refresh token in each. */
async function signedIn(userId: string) {
  for (const place of ['desk', 'phone']) {
    const id = `${userId}-${place}`
    await database.many(sql`
      insert into gateway.sessions (id, user_id, client_id, anonymous, expires_at)
      values (${id}, ${userId}, 'console', false, now() + interval '1 hour')`)
    await database.many(sql`
      insert into gateway.oidc_sign_ins (grant_id, session_id, browser_uid, account_id, expires_at)
      values (${`grant-${id}`}, ${id}, ${`browser-${id}`}, ${userId}, now() + interval '1 hour')`)
    await database.many(sql`
      insert into gateway.oidc_records (model, id, payload, grant_id, uid, account_id) values
        ('Session', ${`s-${id}`}, '{}', null, ${`browser-${id}`}, ${userId}),
        ('Grant', ${`grant-${id}`}, '{}', null, null, ${userId}),
        ('RefreshToken', ${`r-${id}`}, '{}', ${`grant-${id}`}, null, ${userId})`)
  }
}

const left = async (userId: string) => {
  const rows = await database.many<{ id: string }>(sql`
    select id from gateway.sessions where user_id = ${userId} and ended_at is null
    union all select id from gateway.oidc_records where account_id = ${userId}
    union all select grant_id || ' signed in' from gateway.oidc_sign_ins where account_id = ${userId} order by id`)
  return rows.map(({ id }) => id)
}
const revoked = async (like: string) => {
  const rows = await database.many<{ id: string }>(
    sql`select id from gateway.revocations where id like ${`%${like}%`} order by id`,
  )
  return rows.map(({ id }) => id)
}

describe('ending what an account is used with', () => {
  test('all sessions, and whatever could start a new one', async () => {
    await signedIn('ada')
    await signedIn('bob')
    const ended = await database.transaction((tx) => accountAccessStore(tx).endSessions(['ada']))
    expect(ended.map(({ sessionId }) => sessionId).sort()).toEqual(['ada-desk', 'ada-phone'])
    expect(await left('ada')).toEqual([])
    expect(await left('bob')).toHaveLength(10)
    expect(await revoked('ada')).toEqual(['ada-desk', 'ada-phone'])
  })

  test('all but one session, whose browser and refresh token go on', async () => {
    await signedIn('eve')
    const ended = await database.transaction((tx) => accountAccessStore(tx).endSessions(['eve'], 'eve-desk'))
    expect(ended).toEqual([{ sessionId: 'eve-phone', userId: 'eve', clientId: 'console' }])
    expect(await left('eve')).toEqual([
      'eve-desk',
      'grant-eve-desk',
      'grant-eve-desk signed in',
      'r-eve-desk',
      's-eve-desk',
    ])
  })

  test('a session of somebody else keeps nothing', async () => {
    await signedIn('zoe')
    await database.transaction((tx) => accountAccessStore(tx).endSessions(['zoe'], 'bob-desk'))
    expect(await left('zoe')).toEqual([])
    expect(await left('bob')).toHaveLength(10)
  })

  test('nothing when the transaction is rolled back', async () => {
    await signedIn('max')
    const failing = database.transaction(async (tx) => {
      await accountAccessStore(tx).removeAll('max')
      throw new Error('no')
    })
    await expect(failing).rejects.toThrow('no')
    expect([await left('max'), await revoked('max')]).toEqual([expect.any(Array), []])
    expect(await left('max')).toHaveLength(10)
  })

  test('everything, access tokens too, of an account that goes', async () => {
    await signedIn('kim')
    const [token] = await database.many<{ id: string }>(sql`
      insert into gateway.access_tokens (user_id, name, token_hash, expires_at)
      values ('kim', 'ci', 'hash-of-kim', now() + interval '1 hour') returning id::text`)
    const ids = await database.transaction((tx) => accountAccessStore(tx).removeAll('kim'))
    expect(ids.sort()).toEqual([`at:${token?.id}`, 'kim-desk', 'kim-phone', 'user:kim'].sort())
    expect(await left('kim')).toEqual([])
  })
})
