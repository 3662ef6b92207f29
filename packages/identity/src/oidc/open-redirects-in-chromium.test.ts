import { sample } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Chromium, chromiumPath, startChromium } from '../../test/chromium.ts'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import { spellingsOf } from '../../test/redirect-spellings.ts'
import { authorizationOf } from '../../test/sign-in.ts'

const MINUTES_MS = 180_000
/** A browser takes its time, and what the server answers to each spelling is tested elsewhere. */
const SPELLINGS = 24
const chromium = chromiumPath()

describe.skipIf(chromium === undefined)('an address that is nearly an allowed one, in Chromium', () => {
  let database: Awaited<ReturnType<typeof identityDatabase>>
  let server: IdentityServer
  let browser: Chromium
  beforeAll(async () => {
    database = await identityDatabase()
    server = await startIdentityServer({ database })
    browser = await startChromium(chromium ?? '')
  }, MINUTES_MS)
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]()
    await database?.[Symbol.asyncDispose]()
  })

  it(
    'leads nowhere else, with scripts and all',
    async () => {
      const some = sample(spellingsOf(server.consoleSignIn), SPELLINGS)
      expect(some.length).toBeGreaterThanOrEqual(SPELLINGS)
      await browser.withPage({}, async (page) => {
        for (const redirect_uri of some) {
          await page.goto(authorizationOf(server, { redirect_uri }).url)
          expect(new URL(page.url()).origin, redirect_uri).toBe(server.origin)
        }
      })
    },
    MINUTES_MS,
  )
})
