import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'
import { spellingsOf } from '../../test/redirect-spellings.ts'
import { authorizationOf } from '../../test/sign-in.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
let spellings: string[]
beforeAll(async () => {
  database = await identityDatabase()
  server = await startIdentityServer({ database })
  spellings = spellingsOf(server.consoleSignIn)
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

interface Answered {
  spelling: string
  status: number
  location: string | null
  text: string
}

/** Asks once for each spelling, as a browser that follows nothing. */
async function askAll(urlOf: (spelling: string) => string): Promise<Answered[]> {
  const answers: Answered[] = []
  for (const spelling of spellings) {
    const response = await fetch(urlOf(spelling), { redirect: 'manual', headers: { accept: 'text/html' } })
    const { status, headers } = response
    answers.push({ spelling, status, location: headers.get('location'), text: await response.text() })
  }
  return answers
}

const leading = (answers: Answered[]) =>
  answers.filter(
    ({ location }) => location !== null && new URL(location, server.origin).origin !== server.origin,
  )

/** A page may show what was asked for, but lead nowhere by itself. */
const hasWayOut = ({ text }: Answered) => /<script|http-equiv="?refresh|(href|action)="[^"]*evil/i.test(text)

describe('an address that is nearly an allowed one', () => {
  it('has hundreds of spellings', () => expect(spellings.length).toBeGreaterThanOrEqual(340))

  it('is refused as redirect_uri, with a page and no Location', async () => {
    const answers = await askAll((redirect_uri) => authorizationOf(server, { redirect_uri }).url)
    expect(answers.filter(({ status, location }) => status !== 400 || location !== null)).toEqual([])
    expect(answers.filter(hasWayOut)).toEqual([])
  })

  it('is refused as post_logout_redirect_uri', async () => {
    const answers = await askAll((spelling) => {
      const url = new URL(`${server.settings.issuer}/session/end`)
      url.searchParams.set('client_id', 'local-client-id')
      url.searchParams.set('post_logout_redirect_uri', spelling)
      return url.href
    })
    expect(answers.filter(({ status, location }) => status !== 400 || location !== null)).toEqual([])
    expect(answers.filter(hasWayOut)).toEqual([])
  })

  it.each(['/signin', '/signin/callback'])(
    'leads nowhere as what %s might be told to return to',
    async (path) => {
      const names = [
        'returnTo',
        'return_to',
        'redirect',
        'redirect_uri',
        'next',
        'url',
        'continue',
        'login_hint',
      ]
      const answers = await askAll((spelling) => {
        const url = new URL(server.origin + path)
        for (const name of names) url.searchParams.set(name, spelling)
        return url.href
      })
      expect(leading(answers)).toEqual([])
      expect(answers.filter(hasWayOut)).toEqual([])
      const redirects = answers.flatMap(({ location }) =>
        location === null ? [] : [new URL(location, server.origin).searchParams.get('redirect_uri')],
      )
      expect(new Set(redirects).size).toBeLessThanOrEqual(1)
    },
  )

  it('is refused beside an allowed one', async () => {
    const answers = await askAll((spelling) => {
      const { url } = authorizationOf(server)
      return `${url}&redirect_uri=${encodeURIComponent(spelling)}`
    })
    expect(answers.filter(({ status, location }) => status !== 400 || location !== null)).toEqual([])
  })
})
