import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { comeFrom, REGISTRATION_TOKEN, redeemAs, registerClient } from '../../test/registration.ts'
import { authorizationOf, authorize, Browser, redeemCode, returnedTo } from '../../test/sign-in.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  server = await startIdentityServer({ database, given: { registrationToken: REGISTRATION_TOKEN } })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const none = undefined
const other = 'A'.repeat(43)

/** What an authorization request says of PKCE, what the token request says, and which of the two is refused. */
const table: [
  name: string,
  asked: Record<string, string | undefined>,
  redeemed: Record<string, string>,
  outcome: 'code' | 'token' | 'given',
][] = [
  ['S256 and its verifier', {}, {}, 'given'],
  ['no challenge', { code_challenge: none, code_challenge_method: none }, {}, 'code'],
  ['a method without a challenge', { code_challenge: none }, {}, 'code'],
  ['plain', { code_challenge_method: 'plain' }, {}, 'code'],
  ['a challenge without a method, which means plain', { code_challenge_method: none }, {}, 'code'],
  ['S256 and no verifier', {}, { code_verifier: '' }, 'token'],
  ['S256 and another verifier', {}, { code_verifier: other }, 'token'],
  ['S256 and the challenge as verifier', {}, { code_verifier: 'challenge' }, 'token'],
]

describe('PKCE', () => {
  it.each(table)('%s', async (_, asked, redeemed, outcome) => {
    if (outcome === 'code') {
      const visited = await new Browser().visit(authorizationOf(server, asked).url)
      expect([returnedTo(visited).get('error'), returnedTo(visited).get('code')]).toEqual([
        'invalid_request',
        null,
      ])
      return
    }
    const { authorization, code } = await authorize(server, ADMIN, asked)
    const challenge = new URL(authorization.url).searchParams.get('code_challenge') ?? ''
    const changed = redeemed.code_verifier === 'challenge' ? { code_verifier: challenge } : redeemed
    const { status, body } = await redeemCode(server, authorization, code, changed)
    expect([status, body.error]).toEqual(outcome === 'given' ? [200, undefined] : [400, 'invalid_grant'])
  })

  it('a code without a challenge, if there ever was one, takes no verifier', async () => {
    const { authorization, code } = await authorize(server, ADMIN)
    await database.many(sql`
      update gateway.oidc_records set payload = payload - 'codeChallenge' - 'codeChallengeMethod'
      where model = 'AuthorizationCode'`)
    const { status, body } = await redeemCode(server, authorization, code)
    expect([status, body.access_token]).toEqual([400, undefined])
  })

  it('is needed by clients with a secret too', async () => {
    const client = await registerClient(server)
    const { page } = await comeFrom(server, client, { code_challenge: none, code_challenge_method: none })
    expect(returnedTo(page).get('error')).toBe('invalid_request')

    const { authorization, browser, page: consent } = await comeFrom(server, client)
    const code = returnedTo(await browser.submit(consent, { decision: 'allow' })).get('code') ?? ''
    expect((await redeemAs(server, client, { code, verifier: other })).body.error).toBe('invalid_grant')
    expect(authorization.verifier).not.toBe(other)
  })
})
