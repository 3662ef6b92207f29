import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type IdentityServer, identityDatabase, startIdentityServer } from '../../test/identity-server.ts'

let database: Awaited<ReturnType<typeof identityDatabase>>
let server: IdentityServer
beforeAll(async () => {
  database = await identityDatabase()
  server = await startIdentityServer({ database, attemptsLimited: true })
})
afterAll(async () => {
  await server[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const ask = async (path: string, init: RequestInit = {}) => {
  const answer = await fetch(server.origin + path, { redirect: 'manual', ...init })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

describe('from one address in a minute', () => {
  test('sixty authorizations may begin; then a browser gets a page, a program the error shape', async () => {
    const statuses = []
    for (let count = 0; count < 60; count += 1)
      statuses.push((await ask('/oidc/auth?client_id=nobody')).status)
    expect(statuses).not.toContain(429)
    for (const accept of ['text/html', 'application/json']) {
      const refused = await ask('/oidc/auth?client_id=nobody', { headers: { accept } })
      expect(refused.status).toBe(429)
      expect(refused.headers.get('ratelimit-policy')).toBe('"sign-in";q=60;w=60')
      expect(refused.headers.get('x-ratelimit-remaining')).toBe('0')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(refused.headers.get('content-type')).toContain(accept)
    }
    expect((await ask('/oidc/.well-known/openid-configuration')).status).toBe(200)
  }, 60_000)

  test('sixty tokens may be asked for', async () => {
    const post = () =>
      ask('/oidc/token', { method: 'POST', body: new URLSearchParams({ grant_type: 'none' }) })
    const answers = await Promise.all(Array.from({ length: 65 }, post))
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(5)
    const refused = await post()
    expect(JSON.parse(refused.text)).toMatchObject({ error: 'TooManyRequests' })
    expect(refused.headers.get('ratelimit')).toMatch(/^"token-exchange";r=0;t=\d+$/)
  }, 60_000)
})
