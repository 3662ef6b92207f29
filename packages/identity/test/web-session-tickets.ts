import { expect } from 'vitest'
import type { SignedIn } from './signed-in.ts'
import { startIdentity, type TestIdentity } from './start-identity.ts'

/** Asks for a ticket; answers status, body and the path of its address. */
export async function askForTicket(
  gateway: TestIdentity,
  headers: Record<string, string>,
  body: unknown = { redirect: 'http://localhost:3000/welcome?x=1' },
) {
  const response = await fetch(`${gateway.url}/v2/user/webSessionTicket`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const answer = (await response.json()) as { url?: string; error?: string; message?: string }
  return { response, answer, path: answer.url === undefined ? '' : new URL(answer.url).pathname }
}

/** Opens a ticket as a browser does, without following where it leads. */
export const openTicket = (gateway: TestIdentity, path: string, init: RequestInit = {}) =>
  fetch(gateway.url + path, { redirect: 'manual', ...init })

/** The claims of the JWT in the cookie an answer sets. */
export function cookieClaims(response: Response): Record<string, unknown> | undefined {
  const jwt = cookieJwt(response)
  const payload = jwt.split('.')[1]
  return payload === undefined ? undefined : JSON.parse(Buffer.from(payload, 'base64url').toString())
}

export const cookieJwt = (response: Response): string =>
  /^access-token=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1] ?? ''

/** A gateway with somebody signed in. */
export async function startWithPerson(env: Record<string, string> = {}) {
  const gateway = await startIdentity({ env })
  const ada: SignedIn = await gateway.signIn()
  return { gateway, ada, [Symbol.asyncDispose]: () => gateway[Symbol.asyncDispose]() }
}

/** A ticket that is no good is told on a page. */
export async function expectErrorPage(response: Response) {
  expect(response.status).toBe(400)
  expect(response.headers.get('content-type')).toMatch(/^text\/html/)
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(response.headers.get('set-cookie')).toBeNull()
  expect(await response.text()).toContain('works once and for a minute only')
}
