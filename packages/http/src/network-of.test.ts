import { describe, expect, test } from 'vitest'
import { networkOf } from './connection-limit.ts'

describe('the network of an address', () => {
  test.each([
    ['2001:db8:1:2::1', '2001:db8:1:2'],
    ['2001:DB8:0001:0002:ffff:0:0:9', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:0:0:1::', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::', 'fe80:0:0:0'],
  ])('of IPv6 is its /64: %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })

  test.each(['203.0.113.9', '', 'user-1', '019aa3c1-7c1e-7000-8000-000000000000', 'a:b'])(
    'of anything else is the thing itself: %j',
    (key) => {
      expect(networkOf(key)).toBe(key)
    },
  )
})
