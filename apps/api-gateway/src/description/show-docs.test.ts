import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startGateway, type TestGateway } from '../../test/start-gateway.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

describe('GET /docs', () => {
  test('answers a page to anybody, which may do nothing but what it needs', async () => {
    const answer = await fetch(`${gateway.url}/docs`)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'")
    expect(policy).not.toMatch(/unsafe|https?:|\*/)
    expect(answer.headers.get('x-frame-options')).toBe('DENY')
    const html = await answer.text()
    expect(html).not.toMatch(/<script>|<style|\son\w+=|https?:\/\//)
  })

  test('refuses a query that can not be read', async () => {
    expect((await fetch(`${gateway.url}/docs?%00=1`)).status).toBe(400)
  })

  test('asks for no credential, and needs no right', async () => {
    expect((await fetch(`${gateway.url}/docs`)).status).toBe(200)
    const { headers } = await gateway.signIn({ scopes: [] })
    expect((await fetch(`${gateway.url}/docs`, { headers })).status).toBe(200)
  })

  test('knows no other method and no page below', async () => {
    expect((await fetch(`${gateway.url}/docs`, { method: 'POST' })).status).toBe(405)
    expect((await fetch(`${gateway.url}/docs/missing`)).status).toBe(404)
  })
})
