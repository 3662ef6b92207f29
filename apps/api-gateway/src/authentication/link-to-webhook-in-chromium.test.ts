import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Chromium, chromiumPath, startChromium } from '@platform/identity/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type SignedIn,
  startGateway,
  startUpstream,
  type TestGateway,
  type Upstream,
} from '../../test/start-gateway.ts'

const MINUTES_MS = 180_000
const chromium = chromiumPath()
/** The cookie's host; the page of the stranger is at 127.0.0.1, which is another site to a browser. */
const HOST = 'localhost'

describe.skipIf(chromium === undefined)('a page of a stranger, in Chromium', () => {
  let service: Upstream
  let gateway: TestGateway
  let ada: SignedIn
  let browser: Chromium
  let home: string
  let stranger: Awaited<ReturnType<typeof startStranger>>

  beforeAll(async () => {
    service = await startUpstream((request, response) => {
      request.resume()
      const body = JSON.stringify({
        user: request.headers['x-platform-user-id'] ?? null,
        data: request.headers['x-platform-auth-data'] ?? null,
      })
      request.on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(body))
    })
    gateway = await startGateway({ services: service.url })
    ada = await gateway.signIn()
    home = `http://${HOST}:${new URL(gateway.url).port}`
    stranger = await startStranger(`${home}/v2/workspaces/w1/webhooks/hello`)
    browser = await startChromium(chromium ?? '')
  }, MINUTES_MS)
  afterAll(async () => {
    await stranger?.close()
    await gateway?.[Symbol.asyncDispose]()
    await service?.[Symbol.asyncDispose]()
  })

  const cookie = () => ({
    name: 'access-token',
    value: ada.jwt,
    url: home,
    httpOnly: true,
    sameSite: 'Lax' as const,
  })

  it(
    'runs nothing in the name of who follows its link or sends its form, and learns no address',
    async () => {
      await browser.withPage({}, async (page) => {
        await page.context().addCookies([cookie()])
        for (const id of ['link', 'form']) {
          await page.goto(stranger.url)
          await Promise.all([page.waitForURL(/webhooks\/hello/), page.locator(`#${id}`).click()])
          expect(JSON.parse((await page.locator('body').textContent()) ?? ''), id).toEqual({
            user: null,
            data: null,
          })
        }
      })
    },
    MINUTES_MS,
  )

  it(
    'while the browser is signed in there, and a page of ours calls in its name with the CSRF token',
    async () => {
      await browser.withPage({}, async (page) => {
        await page.context().addCookies([cookie()])
        await page.goto(`${home}/v2/me`)
        expect(JSON.parse((await page.locator('body').textContent()) ?? '')).toMatchObject({ id: ada.userId })
        const call = `(async () => {
          const me = await fetch('/v2/me')
          const csrf = me.headers.get('x-platform-csrf-token')
          const address = '/v2/workspaces/w1/webhooks/hello'
          const without = await fetch(address)
          const own = await fetch(address, { headers: { 'x-platform-csrf-token': csrf } })
          return [(await without.json()).user, (await own.json()).user]
        })()`
        expect(await page.evaluate(call)).toEqual([null, ada.userId])
      })
    },
    MINUTES_MS,
  )
})

/** A page of another site with a link and a form that lead to `address`. */
async function startStranger(address: string) {
  const page = `<!doctype html><title>A page</title><a id="link" href="${address}">Look</a>
<form action="${address}" method="get"><button id="form">Go</button></form>`
  const server = createServer((_, response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(page),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
