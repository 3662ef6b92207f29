import { sql } from '@platform/database'
import { uuidv7 } from '@platform/kernel'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { authorize, redeem, redeemCode } from '../../test/sign-in.ts'
import { grantSessions, type TokenRequest } from './grant-sessions.ts'
import { oidcRecordStore } from './oidc-record-store.ts'
import { signInStore } from './sign-in-store.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  server = await startIdentityServer({ database })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const trailOf = async (sessionId: unknown) => {
  const rows = await database.many<{ action: string; actor: string; details: string }>(
    sql`select action, actor, details from audit.entries where subject = ${`session:${String(sessionId)}`}
      order by sequence`,
  )
  return rows.map(({ details, ...row }) => ({ ...row, details: JSON.parse(details) as unknown }))
}
const keptOf = async (sessionId: unknown) => {
  const [row] = await database.many<Record<string, unknown>>(
    sql`select * from gateway.sessions where id = ${String(sessionId)}`,
  )
  return row
}

describe('a sign-in', () => {
  it('is written with its provider, its client and the key that signs', async () => {
    const { authorization, code } = await authorize(server, ADMIN)
    const { body } = await redeemCode(server, authorization, code)
    const { prismeaiSessionId, sub } = decodeJwt(String(body.access_token))
    expect(await trailOf(prismeaiSessionId)).toEqual([
      {
        action: 'session.started',
        actor: `user:${sub}`,
        details: { provider: 'prismeai', clientId: 'local-client-id' },
      },
    ])
    expect(await keptOf(prismeaiSessionId)).toMatchObject({
      client_name: 'Console',
      signing_kid: server.keys[0]?.kid,
    })
  })

  it('tells of the key of the latest token', async () => {
    const { authorization, code } = await authorize(server, ADMIN, { scope: 'openid offline_access' })
    const { body } = await redeemCode(server, authorization, code)
    const { prismeaiSessionId } = decodeJwt(String(body.access_token))
    const before = server.keys[0]?.kid
    await server.rotate()
    expect(server.keys[0]?.kid).not.toBe(before)
    const refreshed = await redeem(server, {
      ...{ grant_type: 'refresh_token', client_id: 'local-client-id' },
      refresh_token: String(body.refresh_token),
    })
    expect(refreshed.status).toBe(200)
    expect(await keptOf(prismeaiSessionId)).toMatchObject({ signing_kid: server.keys[0]?.kid })
  })

  it('that is replayed is written as such', async () => {
    const { authorization, code } = await authorize(server, ADMIN)
    const { body } = await redeemCode(server, authorization, code)
    await redeemCode(server, authorization, code)
    const trail = await trailOf(decodeJwt(String(body.access_token)).prismeaiSessionId)
    expect(trail.map(({ action }) => action)).toEqual(['session.started', 'session.ended'])
    expect(trail[1]?.details).toMatchObject({ reason: 'tokenReuse' })
  })
})

describe('signing out everywhere', () => {
  const kept = async (accountId: string) => {
    const [row] = await database.many(sql`
      select (select count(*)::int from gateway.oidc_records where account_id = ${accountId}) as records,
        (select count(*)::int from gateway.oidc_sign_ins where account_id = ${accountId}) as "grantSessions",
        (select count(*)::int from gateway.sessions where user_id = ${accountId} and ended_at is null) as sessions`)
    return row as { records: number; grantSessions: number; sessions: number }
  }

  it('ends everything or nothing: what fails half way leaves no grant without its session', async () => {
    const { authorization, code } = await authorize(server, ADMIN, { scope: 'openid offline_access' })
    const { body } = await redeemCode(server, authorization, code)
    const sub = String(decodeJwt(String(body.access_token)).sub)
    const before = await kept(sub)
    expect(Math.min(...Object.values(before))).toBeGreaterThan(0)
    const grants = grantSessions({
      ...server,
      records: oidcRecordStore(database),
      store: signInStore(database),
    })
    await database.many(sql`
      create function gateway.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`)
    for (const table of [sql`gateway.sessions`, sql`gateway.oidc_sign_ins`, sql`gateway.oidc_records`]) {
      await database.many(sql`
        create trigger refuse before update or delete on ${table} for each statement execute function gateway.refuse()`)
      await expect(grants.signOutEverywhere(sub)).rejects.toThrow()
      expect(await kept(sub)).toEqual(before)
      await database.many(sql`drop trigger refuse on ${table}`)
    }
    await grants.signOutEverywhere(sub)
    expect(await kept(sub)).toEqual({ records: 0, grantSessions: 0, sessions: 0 })
  })

  it('of a grant ends its session also when its other records can’t be removed', async () => {
    const { authorization, code } = await authorize(server, ADMIN, { scope: 'openid offline_access' })
    const { body } = await redeemCode(server, authorization, code)
    const { prismeaiSessionId } = decodeJwt(String(body.access_token))
    const [signIn] = await database.many<{ grantId: string }>(sql`
      select grant_id as "grantId" from gateway.oidc_sign_ins where session_id = ${String(prismeaiSessionId)}`)
    const grants = grantSessions({
      ...server,
      records: oidcRecordStore(database),
      store: signInStore(database),
    })
    await database.many(sql`
      create trigger refuse before delete on gateway.oidc_records for each statement execute function gateway.refuse()`)
    await expect(grants.endGrant(signIn?.grantId ?? '')).rejects.toThrow()
    await database.many(sql`drop trigger refuse on gateway.oidc_records`)
    expect((await keptOf(prismeaiSessionId))?.ended_at).not.toBeNull()
  })
})

describe('the provider of a sign-in', () => {
  it.each([
    [['pwd'], 'prismeai'],
    [['pwd', 'otp'], 'prismeai'],
    [['fed', 'idp:acme'], 'acme'],
    [['fed', 'idp:acme', 'otp'], 'acme'],
    [[], 'prismeai'],
  ])('is read from %j: %s', async (amr, provider) => {
    const { users } = server
    const records = oidcRecordStore(database)
    const grants = grantSessions({ ...server, records, store: signInStore(database) })
    const account = await users.findByEmail(ADMIN.email)
    const grantId = uuidv7()
    const accountId = account?.user.id ?? ''
    await records.upsert('Grant', grantId, { accountId, clientId: 'local-client-id' }, 60)
    const request: TokenRequest = {
      ...{ grantId, accountId, amr, clientId: 'local-client-id', clientName: 'Console', signingKid: 'k-1' },
      ...{
        browserUid: undefined,
        authTime: Math.floor(Date.now() / 1000),
        offline: false,
        person: account?.user,
        ip: '127.0.0.1',
        userAgent: undefined,
      },
    }
    const [started] = await trailOf(await grants.sessionFor(request))
    expect(started?.details).toMatchObject({ provider })
  })
})
