import { createAuthProvider } from '@platform/contracts'
import { openOutbound } from '@platform/outbound'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startUpstream, type Upstream } from '../testing.ts'
import { input, startCrud } from './crud/testing.ts'
import { keptConfigurations } from './provider-configurations.ts'

/** A provider that answers after a time. */
let provider: Upstream
let answerAfterMs = 0
beforeAll(async () => {
  provider = await startUpstream((request, response) => {
    request.resume()
    const metadata = {
      issuer: provider.url,
      authorization_endpoint: `${provider.url}/authorize`,
      token_endpoint: `${provider.url}/token`,
      jwks_uri: `${provider.url}/jwks`,
    }
    response.setHeader('content-type', 'application/json')
    setTimeout(() => response.end(JSON.stringify(metadata)), answerAfterMs)
  })
})
afterAll(() => provider[Symbol.asyncDispose]())

const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

test('who waits for a slow provider is told within three seconds, and it is asked on behind', async () => {
  await using outbound = openOutbound({ allowed: ['127.0.0.1'] })
  const configurationOf = keptConfigurations({ outbound, allowHttp: true })
  const config = { client_id: 'platform', issuer: provider.url }
  answerAfterMs = 3500
  const tookMs = await elapsed(() =>
    expect(configurationOf(config)).rejects.toMatchObject({ name: 'ProviderUnavailable' }),
  )
  expect(tookMs).toBeLessThan(3000)
  await vi.waitFor(async () => {
    const found = await configurationOf(config)
    expect(found.serverMetadata().token_endpoint).toBe(`${provider.url}/token`)
  }, 6000)
  expect(provider.seen.filter(({ url }) => url.endsWith('openid-configuration'))).toHaveLength(1)
})

test('setting up a provider that does not answer takes no more than three seconds', async () => {
  await using crud = await startCrud()
  answerAfterMs = 8000
  const config = { client_id: 'platform', client_secret: 'a secret', issuer: provider.url }
  const create = () =>
    crud.root(createAuthProvider, { params: { orgSlug: 'acme' }, body: input('slow', { config }) })
  expect(await elapsed(create)).toBeLessThan(3000)
})
