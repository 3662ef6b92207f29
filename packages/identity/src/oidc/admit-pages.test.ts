import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import {
  partnerMetadata,
  REGISTRATION_TOKEN,
  registerClient,
  tokenForItself,
} from '../../test/registration.ts'
import { authorize } from '../../test/sign-in.ts'

const CONSOLE = 'http://console.localhost:3000'
const LISTED = 'https://tools.example.test'
const PARTNER = 'https://app.partner.test'
const STRANGER = 'https://evil.example'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  const given = { registrationToken: REGISTRATION_TOKEN, additionalOrigins: [`${LISTED}/`] }
  server = await startIdentityServer({ database, given })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const admitted = ({ headers }: { headers: Headers }) => [
  headers.get('access-control-allow-origin'),
  headers.get('access-control-allow-credentials'),
]

/** A page of `origin` trades a code of the console's client. */
async function tradeFrom(origin: string) {
  const { authorization, code } = await authorize(server, ADMIN)
  return fetch(`${server.settings.issuer}/token`, {
    method: 'POST',
    headers: { origin },
    body: new URLSearchParams({
      ...{ grant_type: 'authorization_code', client_id: 'local-client-id', code },
      ...{ redirect_uri: authorization.redirectUri, code_verifier: authorization.verifier },
    }),
  })
}

describe('the token endpoint', () => {
  it.each([CONSOLE, LISTED])('may be read with cookies by pages of the platform: %s', async (origin) => {
    const answer = await tradeFrom(origin)
    expect(answer.status).toBe(200)
    expect(admitted(answer)).toEqual([origin, 'true'])
    expect(answer.headers.get('vary')).toMatch(/origin/i)
    expect(answer.headers.getSetCookie().some((line) => line.startsWith('access-token='))).toBe(true)
  })

  it.each([
    STRANGER,
    'null',
    `${CONSOLE}.evil.example`,
    'http://console.localhost:3001',
    'https://console.localhost:3000',
    'http://CONSOLE.localhost:3000',
  ])('is not to be read by pages of %s, which get no token either', async (origin) => {
    const answer = await tradeFrom(origin)
    expect([answer.status, ...admitted(answer)]).toEqual([400, null, null])
    expect(await answer.json()).not.toHaveProperty('access_token')
    expect(answer.headers.getSetCookie()).toEqual([])
  })

  it('may be read without cookies by pages a client is answered at, and by no other', async () => {
    const client = await registerClient(server, { grant_types: ['authorization_code', 'client_credentials'] })
    const { client_id, client_secret } = client
    const ask = (origin: string, secret: string) =>
      fetch(`${server.settings.issuer}/token`, {
        method: 'POST',
        headers: { origin },
        body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret: secret }),
      })
    const own = await ask(PARTNER, client_secret)
    expect([own.status, ...admitted(own)]).toEqual([200, PARTNER, null])
    const other = await ask(STRANGER, client_secret)
    expect([other.status, ...admitted(other)]).toEqual([400, null, null])
    expect(admitted(await ask(STRANGER, 'wrong'))).toEqual([null, null])
    expect((await tokenForItself(server, client)).status).toBe(200)
  })
})

describe('the preflight of', () => {
  const preflight = (path: string, origin: string) =>
    fetch(server.settings.issuer + path, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization',
      },
    })

  it.each(['/token', '/me', '/token/introspection', '/token/revocation', '/reg', '/reg/abc'])(
    '%s takes cookies of the platform’s pages only',
    async (path) => {
      const own = await preflight(path, CONSOLE)
      expect([own.status, ...admitted(own)]).toEqual([204, CONSOLE, 'true'])
      expect(own.headers.get('access-control-allow-headers')).toContain('authorization')
      expect(admitted(await preflight(path, STRANGER))[1]).toBeNull()
    },
  )

  it('a registration is refused to other pages', async () => {
    expect(admitted(await preflight('/reg', STRANGER))).toEqual([null, null])
  })
})

describe('the registration', () => {
  it.each([
    [CONSOLE, CONSOLE],
    [STRANGER, null],
  ])('from a page of %s can be read by %s', async (origin, reader) => {
    const answer = await fetch(`${server.settings.issuer}/reg`, {
      method: 'POST',
      headers: { origin, authorization: `Bearer ${REGISTRATION_TOKEN}`, 'content-type': 'application/json' },
      body: JSON.stringify(partnerMetadata(server)),
    })
    expect([answer.status, admitted(answer)[0]]).toEqual([201, reader])
  })
})
