import { expect, test } from 'vitest'
import { keptConnections } from '../../test/raw-edge.ts'
import { startGateway, startUpstream } from '../../test/start-gateway.ts'

const paths = ['/', '/v2/me', '/v2/pages/x', '/v2/nowhere', '/v1/me', '/v2//me', '/signin', '/oidc/jwks']

test.each([
  ['https://api.example/v2', 'max-age=31536000'],
  ['http://localhost:3001/v2', null],
])('where the API is at %s, every answer tells browsers to use https: %s', async (apiUrl, expected) => {
  await using upstream = await startUpstream()
  await using gateway = await startGateway({ services: upstream.url, env: { API_URL: apiUrl } })
  for (const path of paths) {
    const { headers } = await fetch(gateway.url + path, { redirect: 'manual' })
    expect(headers.get('strict-transport-security'), path).toBe(expected)
    expect(headers.get('x-powered-by'), path).toBeNull()
    expect(headers.get('server'), path).toBeNull()
  }
})

test('one address may have as many connections as configured, unless proxies are in front', async () => {
  const env = { RATE_LIMIT_DISABLED: 'false', MAX_CONNECTIONS_PER_ADDRESS: '3' }
  const statuses = async (more: Record<string, string>) => {
    await using gateway = await startGateway({ env: { ...env, ...more } })
    return await keptConnections(gateway.url, 5)
  }
  expect(await statuses({})).toEqual(['200', '200', '200', '429', '429'])
  expect(await statuses({ TRUSTED_PROXY_HOPS: '1' })).toEqual(['200', '200', '200', '200', '200'])
})
