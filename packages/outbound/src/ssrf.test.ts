import { describe, expect, it } from 'vitest'
import { resolver, spellingsOfTheInside, startCounted } from '../test/testing.ts'
import { addressCheck } from './address.ts'
import { OutboundRefused } from './callable.ts'
import { openOutbound } from './open-outbound.ts'

const spellings = spellingsOfTheInside()

describe('the guard of calls to the world', () => {
  it(`connects to none of ${spellings.length} spellings of the inside`, async () => {
    expect(spellings.length).toBeGreaterThan(100)
    await using inside = await startCounted(undefined, '0.0.0.0')
    const { lookup } = resolver(() => ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
    await using outbound = openOutbound({ allowed: [], connectTimeoutMs: 1000, timeoutMs: 2000 }, lookup)
    const outcomes = await Promise.all(
      spellings.map((host) =>
        outbound.fetch(`http://${host}:${inside.port}/`).then(
          () => `${host} was called`,
          (error: unknown) => (error instanceof OutboundRefused ? 'refused' : `${host}: ${String(error)}`),
        ),
      ),
    )
    expect(outcomes.filter((outcome) => outcome !== 'refused')).toEqual([])
    expect(inside.counted).toEqual({ connections: 0, requests: 0 })
  })

  it('gives libraries a dispatcher that is guarded the same way', async () => {
    await using inside = await startCounted()
    await using outbound = openOutbound({ allowed: [] })
    const request = outbound.dispatcher.request({ origin: inside.url, path: '/', method: 'GET' })
    await expect(request).rejects.toBeInstanceOf(OutboundRefused)
    expect(inside.counted.connections).toBe(0)
  })

  it.each([
    'file:///etc/passwd',
    'ftp://example.com/',
    'gopher://127.0.0.1:6379/_INFO',
    'data:text/plain,hello',
    'unix:/run/docker.sock',
    'http://user:password@example.com/',
    'not an address',
  ])('refuses %s before it resolves anything', async (address) => {
    const { lookup, asked } = resolver(() => ['127.0.0.1'])
    await using outbound = openOutbound({ allowed: ['127.0.0.0/8'] }, lookup)
    await expect(outbound.fetch(address)).rejects.toBeInstanceOf(OutboundRefused)
    expect(asked.questions).toBe(0)
  })

  it('dials what it checked, however often the resolver changes its mind', async () => {
    await using outside = await startCounted((_request, response) => response.end('outside'), '127.0.0.2')
    await using inside = await startCounted(undefined, '127.0.0.1', outside.port)
    const { lookup, asked } = resolver((question) => [question % 2 === 0 ? '127.0.0.2' : '127.0.0.1'])
    await using outbound = openOutbound({ allowed: ['127.0.0.2'] }, lookup)
    const answers: string[] = []
    for (let index = 0; index < 500; index += 1) {
      const call = outbound.fetch(`http://rebinding.example:${outside.port}/`, {
        headers: { connection: 'close' },
      })
      answers.push(
        await call.then(
          (response) => response.text(),
          () => 'refused',
        ),
      )
    }
    expect(new Set(answers)).toEqual(new Set(['outside', 'refused']))
    expect(inside.counted.connections).toBe(0)
    expect(asked.questions).toBe(500)
  })

  it('leaves the private ones out of a mixed answer', async () => {
    await using outside = await startCounted((_request, response) => response.end('outside'), '127.0.0.2')
    await using inside = await startCounted(undefined, '127.0.0.1', outside.port)
    const { lookup } = resolver(() => ['::1', '127.0.0.1', '127.0.0.2', '10.0.0.1'])
    await using outbound = openOutbound({ allowed: ['127.0.0.2/32'] }, lookup)
    const response = await outbound.fetch(`http://mixed.example:${outside.port}/`)
    expect(await response.text()).toBe('outside')
    expect(inside.counted.connections).toBe(0)
  })
})

describe('what is allowed', () => {
  it('lets the open internet pass', () => {
    const isAllowed = addressCheck([])
    for (const address of ['8.8.8.8', '93.184.216.34', '2606:4700::1111', '::ffff:8.8.8.8'])
      expect([address, isAllowed('somewhere.example', address)]).toEqual([address, true])
  })

  it('lets what an operator names pass: a host, an address, a range', () => {
    const isAllowed = addressCheck(['idp.internal', '10.1.0.0/16', 'fd00::/8', '192.168.7.7'])
    expect(isAllowed('IDP.internal.', '10.9.9.9')).toBe(true)
    expect(isAllowed('other.internal', '10.9.9.9')).toBe(false)
    expect(isAllowed('x', '10.1.2.3')).toBe(true)
    expect(isAllowed('x', '::ffff:10.1.2.3')).toBe(true)
    expect(isAllowed('x', 'fd12::1')).toBe(true)
    expect(isAllowed('x', '192.168.7.7')).toBe(true)
    expect(isAllowed('x', '192.168.7.8')).toBe(false)
    expect(isAllowed('x', 'fe80::1%eth0')).toBe(false)
    expect(isAllowed('x', '')).toBe(false)
  })

  it('is never what is forbidden, with all names below it', () => {
    const isAllowed = addressCheck(['10.0.0.0/8', 'idp.internal'], ['10.1.0.0/16', '8.8.8.8', 'evil.example'])
    expect(isAllowed('x', '10.2.0.1')).toBe(true)
    expect(isAllowed('idp.internal', '10.1.0.1')).toBe(false)
    expect(isAllowed('x', '::ffff:8.8.8.8')).toBe(false)
    expect(isAllowed('x', '8.8.4.4')).toBe(true)
    for (const host of ['evil.example', 'EVIL.example.', 'a.b.evil.example'])
      expect([host, isAllowed(host, '8.8.4.4')]).toEqual([host, false])
    expect(isAllowed('notevil.example', '8.8.4.4')).toBe(true)
  })

  it('names an entry that is neither', () => {
    expect(() => openOutbound({ allowed: ['10.0.0.0/8', 'http://idp'] })).toThrow('"http://idp" is neither')
  })
})
