import { rounds } from '@platform/testing'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { authorize, redeem, redeemCode } from '../../test/sign-in.ts'

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

const refresh = (token: unknown) =>
  redeem(server, { grant_type: 'refresh_token', client_id: 'local-client-id', refresh_token: String(token) })

const sessionOf = (body: Record<string, unknown>) =>
  server.sessions.find(String(decodeJwt(String(body.access_token)).prismeaiSessionId))

const signIn = async () => {
  const { authorization, code } = await authorize(server, ADMIN, { scope: 'openid offline_access' })
  return (await redeemCode(server, authorization, code)).body
}

const ROUNDS = rounds(3, 8)

describe('fifty refreshes with one token at once', () => {
  it(`have exactly one winner in each of ${ROUNDS} rounds, and then the whole family is dead`, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await signIn()
      const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(first.refresh_token)))
      const won = answers.filter(({ status }) => status === 200)
      const lost = answers.filter(({ status }) => status !== 200)
      expect(won).toHaveLength(1)
      expect(new Set(lost.map(({ status, body }) => `${status} ${body.error}`))).toEqual(
        new Set(['400 invalid_grant']),
      )

      expect(await sessionOf(first)).toBeUndefined()
      for (const { body } of won) {
        expect(await sessionOf(body)).toBeUndefined()
        expect((await refresh(body.refresh_token)).status).toBe(400)
      }
      expect((await refresh(first.refresh_token)).status).toBe(400)
    }
  })

  it('in a chain without a replay every refresh wins, in one session', async () => {
    let body = await signIn()
    const session = (await sessionOf(body))?.sessionId
    for (let round = 0; round < ROUNDS; round += 1) {
      const next = await refresh(body.refresh_token)
      expect(next.status).toBe(200)
      expect((await sessionOf(next.body))?.sessionId).toBe(session)
      body = next.body
    }
  })

  it('a token of long ago ends the family too', async () => {
    const first = await signIn()
    const second = (await refresh(first.refresh_token)).body
    const third = (await refresh(second.refresh_token)).body
    expect((await refresh(first.refresh_token)).status).toBe(400)
    expect(await sessionOf(third)).toBeUndefined()
    expect((await refresh(third.refresh_token)).status).toBe(400)
  })

  it('a session that ends while tokens are refreshed gives none that lives', async () => {
    const first = await signIn()
    const session = (await sessionOf(first))?.sessionId ?? ''
    const [answer] = await Promise.all([refresh(first.refresh_token), server.sessions.end(session)])
    if (answer.status === 200) expect(await sessionOf(answer.body)).toBeUndefined()
    else expect(answer.body.error).toBe('invalid_grant')
  })
})
