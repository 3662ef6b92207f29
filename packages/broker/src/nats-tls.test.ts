import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '@platform/testing'
import { signedCertificate } from '@platform/testing/certificates'
import { freePorts } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { silentLog as log, testEvents } from '../test/events.ts'
import { openBroker } from './open.ts'

const program = process.env.NATS_SERVER ?? 'nats-server'
const isHere = [program, 'openssl'].every((name) => spawnSync(name, ['version']).error === undefined)
if (!isHere) {
  if (process.env.REQUIRE_SERVERS === '1') throw new Error('NATS_SERVER and openssl must be there.')
  console.warn('SKIPPED: NATS over TLS; set NATS_SERVER and install openssl to test it.')
}

/** A server that speaks TLS only, with a certificate of an authority of its own. */
describe.skipIf(!isHere)('a nats server behind TLS', () => {
  const stack = new AsyncDisposableStack()
  const folder = mkdtempSync(join(tmpdir(), 'platform-nats-tls-'))
  const [ca, cert, key] = [join(folder, 'ca.pem'), join(folder, 'cert.pem'), join(folder, 'key.pem')]
  let database: TestDatabase
  let address = ''

  beforeAll(async () => {
    database = stack.use(await testDatabase())
    stack.defer(() => rmSync(folder, { recursive: true, force: true }))
    const made = signedCertificate()
    writeFileSync(ca, made.authority)
    writeFileSync(cert, made.cert)
    writeFileSync(key, made.key)
    const [port] = await freePorts(1)
    address = `user:password@localhost:${port}`
    const where = ['-js', '-a', '127.0.0.1', '-p', String(port), '-sd', join(folder, 'data')]
    const tls = ['--tls', '--tlscert', cert, '--tlskey', key]
    const server = spawn(program, [...where, ...tls, '--user', 'user', '--pass', 'password'], {
      stdio: 'ignore',
    })
    stack.defer(async () => {
      server.kill()
      await once(server, 'exit')
    })
  })
  afterAll(() => stack.disposeAsync())

  it('carries events and announcements when its authority is known', async () => {
    await using broker = await openBroker(`tls://${address}?namespace=tls&ca=${ca}`, { database, log })
    await vi.waitFor(() => broker.ping(AbortSignal.timeout(2000)), { timeout: 10_000, interval: 100 })
    const handled: string[] = []
    await using _consumer = await broker.queue.consume('group', async (events) => {
      handled.push(...events.map(({ id }) => id))
    })
    const events = testEvents('w1', 10)
    await broker.queue.publish(events)
    await vi.waitFor(() => expect(handled).toEqual(events.map(({ id }) => id)), { timeout: 10_000 })
    const heard: string[] = []
    await using _listener = await broker.announcements.listen('topic', (text) => heard.push(text))
    await broker.announcements.announce('topic', 'text')
    await vi.waitFor(() => expect(heard).toEqual(['text']), { timeout: 5000 })
  })

  it.each([
    ['that no known authority has signed', () => `tls://${address}`],
    ['with another password', () => `tls://${address.replace('password', 'wrong')}?ca=${ca}`],
  ])('is not spoken to %s', async (_, url) => {
    await using broker = await openBroker(url(), { database, log })
    await expect(broker.ping(AbortSignal.timeout(2000))).rejects.toMatchObject({
      name: 'BrokerError',
      unavailable: true,
    })
  })
})
