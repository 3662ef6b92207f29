import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthProvider } from '@platform/contracts'
import { openOutbound } from '@platform/outbound'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { input, startCrud } from '../../../test/provider-crud.ts'
import { keptConfigurations } from './provider-configurations.ts'

/** A provider that answers after a time. */
let provider: Server
let issuer: string
let answerAfterMs = 0
const asked: string[] = []
beforeAll(async () => {
  provider = createServer((request, response) => {
    asked.push(request.url ?? '')
    request.resume()
    const metadata = {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    }
    response.setHeader('content-type', 'application/json')
    setTimeout(() => response.end(JSON.stringify(metadata)), answerAfterMs)
  }).listen(0, '127.0.0.1')
  await once(provider, 'listening')
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
})
afterAll(async () => {
  provider.closeAllConnections()
  provider.close()
  await once(provider, 'close')
})

const elapsed = async (work: () => Promise<unknown>): Promise<number> => {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

test('who waits for a slow provider is told within three seconds, and it is asked on behind', async () => {
  await using outbound = openOutbound({ allowed: ['127.0.0.1'] })
  const configurationOf = keptConfigurations({ outbound, allowHttp: true })
  const config = { client_id: 'platform', issuer }
  answerAfterMs = 3500
  const tookMs = await elapsed(() =>
    expect(configurationOf(config)).rejects.toMatchObject({ name: 'ProviderUnavailable' }),
  )
  expect(tookMs).toBePrompt(3000)
  await vi.waitFor(async () => {
    const found = await configurationOf(config)
    expect(found.serverMetadata().token_endpoint).toBe(`${issuer}/token`)
  }, 6000)
  expect(asked.filter((url) => url.endsWith('openid-configuration'))).toHaveLength(1)
})

test('setting up a provider that does not answer takes no more than three seconds', async () => {
  await using crud = await startCrud()
  answerAfterMs = 8000
  const config = { client_id: 'platform', client_secret: 'a secret', issuer }
  const create = () =>
    crud.root(createAuthProvider, { params: { orgSlug: 'acme' }, body: input('slow', { config }) })
  expect(await elapsed(create)).toBePrompt(3000)
})
