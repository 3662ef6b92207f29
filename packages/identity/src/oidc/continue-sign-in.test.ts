import { submitMfaCode } from '@platform/contracts'
import { createClient } from '@platform/service-client'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import { addAuthenticator, addPerson, codeOf, PASSWORD, wrongCode } from '../../test/second-factors.ts'
import { authorizationOf, Browser, redeemCode, returnedTo, type Visited } from '../../test/sign-in.ts'

const LOGIN_URL = 'http://console.localhost:3000/en/signin'
const ORIGIN = 'http://console.localhost:3000'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  server = await startIdentityServer({ database, env: { LOGIN_URL } })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const locationOf = (page: Visited): URL => new URL(page.headers.get('location') ?? 'none:')
const errorOf = (page: Visited) => locationOf(page).searchParams.get('error')

/** Somebody at the form of the console. */
async function atConsole() {
  const authorization = authorizationOf(server)
  const browser = new Browser()
  const sent = await browser.visit(authorization.url)
  const uid = locationOf(sent).searchParams.get('interaction') ?? ''
  const submit = (form: Record<string, string>, headers: Record<string, string> = { origin: ORIGIN }) =>
    browser.visit(`${server.settings.issuer}/interaction/${uid}/login`, { form, headers, follow: false })
  return { authorization, browser, sent, uid, submit }
}

describe('the form of a console', () => {
  it('gets the interaction and signs in with an ordinary form from its own origin', async () => {
    await addPerson(server, 'plain@example.com')
    const { authorization, browser, sent, uid, submit } = await atConsole()
    expect(locationOf(sent).href).toBe(`${LOGIN_URL}?interaction=${uid}`)
    const done = await submit({ login: 'plain@example.com', password: PASSWORD, remember: 'true' })
    const back = await browser.visit(locationOf(done).href)
    const { status } = await redeemCode(server, authorization, returnedTo(back).get('code') ?? '')
    expect(status).toBe(200)
  })

  it('is told the name of what went wrong, and may try again', async () => {
    await addPerson(server, 'again@example.com')
    const { uid, submit } = await atConsole()
    const wrong = await submit({ login: 'again@example.com', password: 'not mine' })
    expect([wrong.status, locationOf(wrong).href]).toEqual([
      302,
      `${LOGIN_URL}?interaction=${uid}&error=AuthenticationError`,
    ])
    expect(errorOf(await submit({ login: 'again@example.com' }))).toBe('AuthenticationError')
    const done = await submit({ login: 'again@example.com', password: PASSWORD })
    expect(locationOf(done).href).toBe(`${server.settings.issuer}/auth/${uid}`)
  })

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    [ORIGIN, 302],
  ])('is taken from %s with %i', async (origin, status) => {
    const { submit } = await atConsole()
    expect((await submit({ login: 'a@example.com', password: 'not mine' }, { origin })).status).toBe(status)
  })

  it('is told of too many attempts', async () => {
    await using limited = await startIdentityServer({ database, env: { LOGIN_URL }, attemptsLimited: true })
    const browser = new Browser()
    const sent = await browser.visit(authorizationOf(limited).url)
    const uid = locationOf(sent).searchParams.get('interaction') ?? ''
    const errors: (string | null)[] = []
    for (let count = 0; count < 6; count += 1) {
      const form = { login: 'nobody@example.com', password: 'not mine' }
      const options = { form, headers: { origin: ORIGIN }, follow: false }
      errors.push(
        errorOf(await browser.visit(`${limited.settings.issuer}/interaction/${uid}/login`, options)),
      )
    }
    expect(errors).toEqual([...Array(5).fill('AuthenticationError'), 'TooManyRequests'])
  })

  it('is not needed for signing in to the gateway itself', async () => {
    const browser = new Browser()
    const form = await browser.visit(`${server.origin}/signin`)
    expect([form.status, form.text.includes('type="password"')]).toEqual([200, true])
    const wrong = await browser.submit(form, { login: 'a@example.com', password: 'not mine' })
    expect([wrong.status, wrong.text.includes('role="alert"')]).toEqual([401, true])
  })
})

describe('POST /v2/login/mfa with an interaction', () => {
  const api = () => createClient(server.origin)

  async function waiting(email: string) {
    const { secret } = await addAuthenticator(server, await addPerson(server, email))
    const console = await atConsole()
    const page = await console.submit({ login: email, password: PASSWORD })
    return { ...console, secret, page }
  }

  it('goes on with a sign-in of the console, in the browser it was begun in', async () => {
    const { authorization, browser, page, uid, secret } = await waiting('code@example.com')
    expect(locationOf(page).href).toBe(`${LOGIN_URL}?interaction=${uid}&error=MissingMFA`)
    const done = await api()(submitMfaCode, { body: { totp: codeOf(secret, 1), interaction: uid } })
    expect(done).toEqual({ success: true, url: `${server.settings.issuer}/auth/${uid}` })
    const stolen = await new Browser().visit(done.url ?? '')
    expect(stolen.status).toBe(400)
    const back = await browser.visit(done.url ?? '')
    const { body } = await redeemCode(server, authorization, returnedTo(back).get('code') ?? '')
    expect(decodeJwt(String(body.id_token)).amr).toEqual(['pwd', 'otp', 'mfa'])
  })

  it('refuses a wrong code with 401 and leaves the sign-in waiting', async () => {
    const { uid, secret, browser } = await waiting('wrong@example.com')
    const wrong = api()(submitMfaCode, { body: { totp: wrongCode(secret), interaction: uid } })
    await expect(wrong).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
    const resumed = await browser.visit(`${server.settings.issuer}/auth/${uid}`)
    expect(returnedTo(resumed).has('code')).toBe(false)
  })

  it('needs a password before', async () => {
    const { secret } = await waiting('before@example.com')
    const { uid } = await atConsole()
    const attempt = api()(submitMfaCode, { body: { totp: codeOf(secret, 1), interaction: uid } })
    await expect(attempt).rejects.toMatchObject({ name: 'MissingMFA', status: 401 })
  })

  it('sends back to the console what waits for its code', async () => {
    const { uid, browser } = await waiting('back@example.com')
    const page = await browser.visit(`${server.settings.issuer}/interaction/${uid}`)
    expect(errorOf(page)).toBe('MissingMFA')
    const form = await browser.visit(`${server.settings.issuer}/interaction/${uid}/password`)
    expect(locationOf(form).href).toBe(`${LOGIN_URL}?interaction=${uid}`)
  })
})

describe('an enrolment of somebody at a console', () => {
  it('is done on the gateway’s own page', async () => {
    await using forcing = await startIdentityServer({ database, env: { LOGIN_URL, MFA_FORCE_LOCAL: 'true' } })
    await addPerson(forcing, 'enrols@example.com')
    const browser = new Browser()
    const sent = await browser.visit(authorizationOf(forcing).url)
    const uid = locationOf(sent).searchParams.get('interaction') ?? ''
    const page = await browser.visit(`${forcing.settings.issuer}/interaction/${uid}/login`, {
      form: { login: 'enrols@example.com', password: PASSWORD },
    })
    expect([page.status, page.text.includes('class="qr"')]).toEqual([200, true])
  })
})
