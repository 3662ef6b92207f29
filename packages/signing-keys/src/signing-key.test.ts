import { DAY_MS, HOUR_MS } from '@platform/kernel'
import { describe, expect, test } from 'vitest'
import {
  isIdle,
  type KeyPolicy,
  type PrivateJwk,
  planRotation,
  publicJwkOf,
  type SigningKeyTimes,
} from './signing-key.ts'

const policy: KeyPolicy = {
  kty: 'RSA',
  alg: 'RS256',
  size: 2048,
  rotationMs: 30 * DAY_MS,
  publishAheadMs: HOUR_MS,
  keepRotatedMs: 30 * DAY_MS + 60_000,
}
const start = new Date('2026-01-01T00:00:00Z')
const after = (ms: number) => new Date(start.getTime() + ms)
const key = (kid: string, changes: Partial<SigningKeyTimes> = {}): SigningKeyTimes => ({
  kid,
  alg: 'RS256',
  kind: 'RSA 2048',
  publishedAt: start,
  signsSince: start,
  rotatedAt: undefined,
  ...changes,
})
const waiting = (kid: string, publishedAt: Date) => key(kid, { publishedAt, signsSince: undefined })

describe('the plan of a rotation', () => {
  test('makes the first key', () => {
    expect(planRotation([], start, policy)).toEqual({ publish: true, sign: undefined, remove: [] })
  })

  test('has nothing to do while the key is young', () => {
    expect(isIdle(planRotation([key('a')], after(29 * DAY_MS), policy))).toBe(true)
  })

  test('publishes the successor one lead before it is needed, once', () => {
    const dueAt = 30 * DAY_MS - HOUR_MS
    expect(isIdle(planRotation([key('a')], after(dueAt - 1), policy))).toBe(true)
    expect(planRotation([key('a')], after(dueAt), policy)).toEqual({
      publish: true,
      sign: undefined,
      remove: [],
    })
    expect(isIdle(planRotation([key('a'), waiting('b', after(dueAt))], after(dueAt + 1), policy))).toBe(true)
  })

  test('lets the successor sign when the old key is due and the lead is over, not before', () => {
    const keys = [key('a'), waiting('b', after(30 * DAY_MS - 60_000))]
    expect(planRotation(keys, after(30 * DAY_MS), policy).sign).toBeUndefined()
    expect(planRotation(keys, after(30 * DAY_MS - 60_000 + HOUR_MS), policy).sign).toBe('b')
  })

  test('keeps a rotated key published until the last JWT it signed has expired', () => {
    const keys = [key('b'), key('a', { rotatedAt: start })]
    expect(
      planRotation(keys, after(policy.keepRotatedMs - 1), { ...policy, rotationMs: 90 * DAY_MS }).remove,
    ).toEqual([])
    expect(
      planRotation(keys, after(policy.keepRotatedMs), { ...policy, rotationMs: 90 * DAY_MS }).remove,
    ).toEqual(['a'])
  })

  test('replaces the key when another algorithm or size is asked for, with the lead', () => {
    const asked = { ...policy, kty: 'EC', alg: 'ES256', size: 256 } as const
    expect(planRotation([key('a')], after(1), asked)).toMatchObject({ publish: true, sign: undefined })
    const successor = { ...waiting('b', after(1)), alg: 'ES256', kind: 'EC 256' }
    expect(isIdle(planRotation([key('a'), successor], after(2), asked))).toBe(true)
    expect(planRotation([key('a'), successor], after(1 + HOUR_MS), asked).sign).toBe('b')
  })

  test('drops a successor that is not what is asked for any more', () => {
    expect(planRotation([key('a'), waiting('b', start)], after(1), { ...policy, size: 4096 })).toMatchObject({
      publish: true,
      remove: ['b'],
    })
  })

  test('lets the waiting successor sign at once when the signing key was deleted by hand', () => {
    expect(planRotation([waiting('b', start)], after(1), policy)).toEqual({
      publish: false,
      sign: 'b',
      remove: [],
    })
  })
})

describe('the public half of a key', () => {
  test('has no private member, whatever the pair holds', () => {
    const secrets = { d: 'x', p: 'x', q: 'x', dp: 'x', dq: 'x', qi: 'x', k: 'x', oth: [], priv: 'x' }
    const pair = {
      kty: 'RSA',
      kid: 'k',
      alg: 'RS256',
      use: 'sig',
      n: 'n',
      e: 'AQAB',
      ...secrets,
    } as unknown as PrivateJwk
    expect(publicJwkOf(pair)).toEqual({ kty: 'RSA', kid: 'k', alg: 'RS256', use: 'sig', n: 'n', e: 'AQAB' })
  })
})
