import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openOutbound } from './open-outbound.ts'

/** A certificate of nobody's for 127.0.0.1. */
function ownCertificate(): { key: Buffer; cert: Buffer } {
  const folder = mkdtempSync(join(tmpdir(), 'certificate-'))
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  try {
    const options = [
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '1',
      '-subj',
      '/CN=own',
    ]
    execFileSync('openssl', ['req', '-x509', ...options, '-keyout', key, '-out', cert], { stdio: 'ignore' })
    return { key: readFileSync(key), cert: readFileSync(cert) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

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
