import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ADMIN,
  type IdentityServer,
  identityDatabase,
  startIdentityServer,
} from '../../test/identity-server.ts'
import { Browser } from '../../test/sign-in.ts'

const credentials = { login: ADMIN.email, password: ADMIN.password }

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

const start = (browser: Browser, headers: Record<string, string> = {}) =>
  browser.visit(`${server.origin}/signin`, { headers })
const tokenIn = (browser: Browser) => browser.cookies.get('access-token')?.value ?? ''

describe('signing in without a console', () => {
  it('ends on a page that says who is signed in, with the cookie of the API', async () => {
    const browser = new Browser()
    const done = await browser.submit(await start(browser), credentials)
    expect(done.status).toBe(200)
    expect(done.url).toBe(`${server.origin}/signin/callback`)
    expect(done.text).toContain(`Signed in as ${ADMIN.email}`)
    expect(done.text).toContain(`${server.settings.apiUrl}/me`)
    expect(decodeJwt(tokenIn(browser))).toMatchObject({
      client_id: 'gateway-signin',
      aud: server.settings.apiUrl,
    })

    const reloaded = await browser.visit(done.url)
    expect(reloaded.status).toBe(200)
    const session = String(decodeJwt(tokenIn(browser)).prismeaiSessionId)
    expect(await server.sessions.find(session)).toBeDefined()
  })

  it('works with curl alone, as the page says', async () => {
    const browser = new Browser()
    const page = await browser.submit(await start(browser), credentials)
    const snippet = /<pre[^>]*><code>([\s\S]*?)<\/code>/.exec(page.text)?.[1] ?? ''
    const script = decoded(snippet).split('\n\n')[0] ?? ''
    const run = promisify(execFile)
    const { stdout } = await run('bash', ['-euc', `${script}\nprintf %s "$TOKEN"`], {
      env: { PATH: process.env.PATH, PASSWORD: ADMIN.password },
    })
    expect(decodeJwt(stdout)).toMatchObject({ aud: server.settings.apiUrl, client_id: 'gateway-signin' })

    const wrong = run('bash', ['-euc', script], {
      env: { PATH: process.env.PATH, PASSWORD: 'not the password' },
    })
    await expect(wrong).rejects.toMatchObject({ code: 22 })
  })

  it('needs the browser it was started in', async () => {
    const browser = new Browser()
    const page = await start(browser)
    const back = await browser.submit(page, credentials, { follow: false })
    const resumed = await browser.visit(back.headers.get('location') ?? '', { follow: false })
    const stolen = await new Browser().visit(resumed.headers.get('location') ?? '')
    expect(stolen.status).toBe(400)
    expect(stolen.headers.getSetCookie()).toEqual([])
  })

  it.each(['iss', 'state', 'code'])('refuses to come back with another %s', async (name) => {
    const browser = new Browser()
    const back = await browser.submit(await start(browser), credentials, { follow: false })
    const resumed = await browser.visit(back.headers.get('location') ?? '', { follow: false })
    const url = new URL(resumed.headers.get('location') ?? '')
    url.searchParams.set(name, 'something-else')
    const refused = await browser.visit(url.href)
    expect(refused.status).toBe(400)
    expect(tokenIn(browser)).toBe('')
  })

  it('shows a way to start when nobody is signed in', async () => {
    const visited = await new Browser().visit(`${server.origin}/signin/callback`)
    expect(visited.status).toBe(400)
    expect(visited.text).toContain(`href="${server.origin}/signin"`)
  })
})

const decoded = (text: string) =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name] ?? '',
  )
