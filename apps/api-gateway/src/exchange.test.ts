import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { clientIpOf } from './exchange.ts'

const request = (forwarded?: string, remoteAddress = '::ffff:10.0.0.9') =>
  ({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } }) as unknown as IncomingMessage

describe('the address of a client', () => {
  test('is that of the connection where no proxy is trusted, whatever the client says', () => {
    expect(clientIpOf(request('1.2.3.4'), 0)).toBe('10.0.0.9')
    expect(clientIpOf(request(undefined, '::1'), 0)).toBe('::1')
  })

  test('is the entry that the outermost trusted proxy wrote', () => {
    expect(clientIpOf(request('6.6.6.6, 1.2.3.4'), 1)).toBe('1.2.3.4')
    expect(clientIpOf(request('6.6.6.6, 1.2.3.4, 10.0.0.1'), 2)).toBe('1.2.3.4')
    expect(clientIpOf(request('2001:db8::1'), 1)).toBe('2001:db8::1')
  })

  test.each([
    ['203.0.113.9:51234', '203.0.113.9'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
  ])('is without the port some proxies write: %s', (forwarded, address) => {
    expect(clientIpOf(request(forwarded), 1)).toBe(address)
  })

  test('is that of the connection when the entry is missing or no address', () => {
    for (const forwarded of [
      undefined,
      '',
      'unknown',
      '<script>',
      '1.2.3.4, evil host',
      '1.2.3',
      '1:2',
      '[x]:1',
      'dead.beef',
    ]) {
      expect(clientIpOf(request(forwarded), 1), forwarded).toBe('10.0.0.9')
    }
    expect(clientIpOf(request('1.2.3.4'), 2)).toBe('10.0.0.9')
  })
})
