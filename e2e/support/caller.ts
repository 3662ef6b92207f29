import { randomUUID } from 'node:crypto'
import { ADMIN, type Platform, signIn } from '@platform/testing/platform'

export interface Answer {
  status: number
  headers: Headers
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: what a stranger's JSON holds is for the test to say.
  json: any
}

/** Sends one request as a script would, and reads the answer whole. */
export async function call(
  origin: string,
  method: string,
  path: string,
  options: {
    token?: string
    body?: unknown
    headers?: Record<string, string>
    raw?: string | Uint8Array
    timeoutMs?: number
  } = {},
): Promise<Answer> {
  const headers: Record<string, string> = { ...options.headers }
  if (options.token !== undefined) headers.authorization = `Bearer ${options.token}`
  const hasBody = options.body !== undefined || options.raw !== undefined
  if (hasBody && headers['content-type'] === undefined) headers['content-type'] = 'application/json'
  const answer = await fetch(origin + path, {
    method,
    headers,
    body:
      (options.raw as string | undefined) ??
      (options.body === undefined ? null : JSON.stringify(options.body)),
    redirect: 'manual',
    signal: AbortSignal.timeout(options.timeoutMs ?? 30_000),
  })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: parse(text) }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The administrator with a JWT from the sign-in pages and an access token made with it. */
export async function administrator(
  platform: Pick<Platform, 'origin'>,
  account: typeof ADMIN = ADMIN,
): Promise<{ jwt: string; token: string }> {
  const jwt = await signIn(platform.origin, account)
  const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
  const made = await call(platform.origin, 'POST', '/v2/user/accessTokens', {
    token: jwt,
    body: { name: 'e2e', expiresAt },
  })
  if (made.status !== 200) throw new Error(`No access token: ${made.status} ${made.text}`)
  return { jwt, token: made.json.token }
}

/** A new account with nothing in it, and its JWT. */
export async function newAccount(origin: string): Promise<{ userId: string; jwt: string }> {
  const account = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' }
  const body = { ...account, firstName: 'Some', lastName: 'Body' }
  const made = await call(origin, 'POST', '/v2/signup', { body })
  if (made.status !== 200) throw new Error(`No account: ${made.status} ${made.text}`)
  return { userId: made.json.id, jwt: await signIn(origin, account) }
}

/** A new workspace of the caller. */
export async function newWorkspace(origin: string, token: string, name = 'End to end'): Promise<string> {
  const made = await call(origin, 'POST', '/v2/workspaces', { token, body: { name } })
  if (made.status !== 200) throw new Error(`No workspace: ${made.status} ${made.text}`)
  return made.json.id
}

/** Saves an automation. */
export async function saveAutomation(
  origin: string,
  token: string,
  workspaceId: string,
  automation: object,
): Promise<void> {
  const saved = await call(origin, 'POST', `/v2/workspaces/${workspaceId}/automations`, {
    token,
    body: automation,
  })
  if (saved.status !== 200) throw new Error(`Not saved: ${saved.status} ${saved.text}`)
}

/** Events of the feed that match a query, all pages. */
// biome-ignore lint/suspicious/noExplicitAny: events hold whatever was emitted.
export async function feed(origin: string, token: string, workspaceId: string, query = ''): Promise<any[]> {
  const events: unknown[] = []
  const path = `/v2/workspaces/${workspaceId}/events?limit=100${query === '' ? '' : `&${query}`}`
  for (let before = ''; ; ) {
    const answer = await call(origin, 'GET', path + before, { token })
    if (answer.status !== 200) throw new Error(`No feed: ${answer.status} ${answer.text}`)
    const page: { id: string }[] = answer.json.result.events
    events.push(...page)
    if (page.length < 100) return events
    before = `&beforeId=${page.at(-1)?.id}`
  }
}
