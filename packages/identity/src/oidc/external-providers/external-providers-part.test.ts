import { describe, expect, it } from 'vitest'
import { providerFile } from '../../../test/external-providers.ts'
import { startIdentity } from '../../../test/start-identity.ts'

describe('a gateway whose providers can’t be used does not start', () => {
  it('and says which entry of OUTBOUND_ALLOWED is wrong', async () => {
    const env = { OUTBOUND_ALLOWED: '10.0.0.0/8,http://idp.internal' }
    await expect(startIdentity({ env })).rejects.toThrow(
      'OUTBOUND_ALLOWED: "http://idp.internal" is neither a host name',
    )
  })

  it('and says what is wrong in the file', async () => {
    const file = await providerFile({ providers: { acme: { type: 'oidc', config: { client_id: 'x' } } } })
    await expect(startIdentity({ env: { AUTH_PROVIDERS_CONFIG: file } })).rejects.toThrow(
      `AUTH_PROVIDERS_CONFIG ${file}: providers.acme config needs issuer`,
    )
  })
})
