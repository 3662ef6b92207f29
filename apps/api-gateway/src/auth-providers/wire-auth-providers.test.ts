import { describe, expect, it } from 'vitest'
import { startGateway } from '../testing.ts'
import { providerFile } from './testing.ts'

describe('a gateway whose providers can’t be used does not start', () => {
  it('and says which entry of OUTBOUND_ALLOWED is wrong', async () => {
    const env = { OUTBOUND_ALLOWED: '10.0.0.0/8,http://idp.internal' }
    await expect(startGateway({ env })).rejects.toThrow(
      'OUTBOUND_ALLOWED: "http://idp.internal" is neither a host name',
    )
  })

  it('and says what is wrong in the file', async () => {
    const file = await providerFile({ providers: { acme: { type: 'oidc', config: { client_id: 'x' } } } })
    await expect(startGateway({ env: { AUTH_PROVIDERS_CONFIG: file } })).rejects.toThrow(
      `AUTH_PROVIDERS_CONFIG ${file}: providers.acme config needs issuer`,
    )
  })
})
