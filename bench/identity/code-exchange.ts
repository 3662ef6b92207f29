import { createHash, randomBytes } from 'node:crypto'
import { ADMIN, type Platform } from '@platform/testing/platform'
import { Pool } from 'undici'
import { Browser } from '../../e2e/support/browser.ts'
import type { Figure } from '../measure/figure.ts'

const CODES = 2000
const AT_ONCE = 16
const REDIRECT = 'http://localhost:3000/signin'

/** Authorization codes to JWTs at the token endpoint, each with its session, event, audit row and refresh token. */
export async function codeExchange(platform: Platform): Promise<Figure[]> {
  const verifier = randomBytes(32).toString('base64url')
  const codes = await codesFor(platform, verifier)
  const pool = new Pool(platform.origin, { connections: AT_ONCE, pipelining: 1 })
  const latencies: number[] = []
  const started = performance.now()
  const worker = async () => {
    for (let code = codes.pop(); code !== undefined; code = codes.pop()) {
      const sent = performance.now()
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: 'local-client-id',
        redirect_uri: REDIRECT,
        code_verifier: verifier,
        code,
      })
      const answer = await pool.request({
        path: '/oidc/token',
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
      })
      const body = await answer.body.text()
      if (answer.statusCode !== 200)
        throw new Error(`The token endpoint answered ${answer.statusCode}: ${body}`)
      latencies.push(performance.now() - sent)
    }
  }
  const total = codes.length
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const seconds = (performance.now() - started) / 1000
  await pool.close()
  latencies.sort((a, b) => a - b)
  return [
    { name: 'identity: code → JWT', value: total / seconds, unit: '/s', bigger: true, needed: 200 },
    { name: 'identity: code → JWT p99', value: latencies[Math.floor(total * 0.99)] ?? 0, unit: 'ms' },
  ]
}

/** Codes of a browser that is signed in: no page is shown for them. A code lives a minute, so they are made at once. */
async function codesFor(platform: Platform, verifier: string): Promise<string[]> {
  const url = new URL(`${platform.origin}/oidc/auth`)
  url.search = new URLSearchParams({
    client_id: 'local-client-id',
    response_type: 'code',
    redirect_uri: REDIRECT,
    scope: 'openid offline_access',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  }).toString()
  const browser = new Browser(platform.origin)
  const credentials = { login: ADMIN.email, password: ADMIN.password }
  await browser.submit(await browser.open(url.href), credentials)
  const codes: string[] = []
  const endAt = Date.now() + 25_000
  const worker = async () => {
    while (codes.length < CODES && Date.now() < endAt) {
      const page = await browser.open(url.href)
      const code = new URL(page.headers.get('location') ?? '', url).searchParams.get('code')
      if (code === null) throw new Error(`No code at ${page.url} (${page.status}).`)
      codes.push(code)
    }
  }
  await Promise.all(Array.from({ length: 4 }, worker))
  return codes
}
