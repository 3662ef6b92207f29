import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import { Browser } from '../../test/sign-in.ts'

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

const start = (query = '') => new Browser().visit(`${server.origin}/signin${query}`, { follow: false })

describe('starting to sign in', () => {
  it('leaves with a fresh state and a PKCE challenge, whose secrets stay in a signed cookie of one path', async () => {
    const [one, two] = [await start(), await start()]
    const url = new URL(one.headers.get('location') ?? '')
    expect(one.status).toBe(303)
    expect(`${url.origin}${url.pathname}`).toBe(`${server.settings.issuer}/auth`)
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: 'gateway-signin',
      redirect_uri: `${server.origin}/signin/callback`,
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(one.headers.get('location')).not.toBe(two.headers.get('location'))
    expect(one.headers.getSetCookie()[0]).toMatch(
      new RegExp(
        String.raw`^_signin_[\w-]{10}=[\w-]{43}\.[\w-]{43}\.[\w-]{43}; Max-Age=3600; ` +
          'Path=/signin/callback; HttpOnly; SameSite=Lax$',
      ),
    )
  })

  it('hands on the language and the address somebody has in mind, nothing that changes where it leads', async () => {
    const { headers } = await start(
      '?ui_locales=fr&login_hint=ada%40example.com&redirect_uri=http://evil.example&client_id=x&state=fixed',
    )
    const { searchParams } = new URL(headers.get('location') ?? '')
    expect(searchParams.get('ui_locales')).toBe('fr')
    expect(searchParams.get('login_hint')).toBe('ada@example.com')
    expect(searchParams.getAll('redirect_uri')).toEqual([`${server.origin}/signin/callback`])
    expect(searchParams.getAll('client_id')).toEqual(['gateway-signin'])
    expect(searchParams.get('state')).not.toBe('fixed')
  })

  it('moves from one name of this machine to the one cookies are for', async () => {
    const visited = await new Browser().visit(`http://127.0.0.1:${server.port}/signin`, { follow: false })
    expect(visited.headers.get('location')).toBe(`${server.origin}/signin`)
    expect(visited.headers.getSetCookie()).toEqual([])
  })
})
