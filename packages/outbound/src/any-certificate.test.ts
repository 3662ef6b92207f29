import { once } from 'node:events'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { ownCertificate } from '@platform/testing/certificates'
import { expect, it } from 'vitest'
import { openOutbound } from './open-outbound.ts'

it('a certificate that nobody vouches for is taken where that is asked for, and an address inside is not', async () => {
  const server = createServer(ownCertificate(), (_, response) => response.end('own')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    await using usual = openOutbound({ allowed: ['127.0.0.1'] })
    await expect(usual.fetch(url)).rejects.toThrow('fetch failed')
    await using credulous = openOutbound({ allowed: ['127.0.0.1'], acceptsAnyCertificate: true })
    expect(await (await credulous.fetch(url)).text()).toBe('own')
    await using guarded = openOutbound({ allowed: [], acceptsAnyCertificate: true })
    await expect(guarded.fetch(url)).rejects.toThrow('is not a public address')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
