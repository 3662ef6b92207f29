import { systemClock } from '@platform/kernel'
import { exportJWK } from 'jose'
import { describe, expect, test, vi } from 'vitest'
import { KeyRing } from './key-ring.ts'
import type { RingKey } from './signing-key.ts'

describe('the key ring', () => {
  const ringKey = async (kid: string, signs: boolean): Promise<RingKey> => {
    const { publicKey: _, privateKey } = await crypto.subtle.generateKey(
      { name: 'ECDSA', namedCurve: 'P-256' },
      true,
      ['sign', 'verify'],
    )
    return {
      kid,
      alg: 'ES256',
      signs,
      jwk: { ...(await exportJWK(privateKey)), kty: 'EC', kid, alg: 'ES256', use: 'sig' } as RingKey['jwk'],
    }
  }

  test('asks for an unknown key once a second, however many ask', async () => {
    const keys = [await ringKey('known', true)]
    const load = vi.fn(async () => keys)
    const ring = new KeyRing(load, systemClock)
    await ring.reload()
    const ask = (round: number) =>
      Promise.all(Array.from({ length: 500 }, (_, index) => ring.findOrReload(`unknown-${round}-${index}`)))
    expect((await ask(1)).filter((key) => key !== undefined)).toEqual([])
    expect(load).toHaveBeenCalledTimes(2)
    const started = performance.now()
    await ask(2)
    expect(performance.now() - started).toBeGreaterThan(800)
    expect(load).toHaveBeenCalledTimes(3)
  })

  test('lets who meets a new key within that second wait for it instead of calling their token bad', async () => {
    const keys = [await ringKey('known', true)]
    const load = vi.fn(async () => [...keys])
    const ring = new KeyRing(load, systemClock)
    await ring.reload()
    expect(await ring.findOrReload('new-one')).toBeUndefined()
    const finding = ring.findOrReload('new-one')
    keys.push(await ringKey('new-one', false))
    expect(await finding).toBeDefined()
    expect(load).toHaveBeenCalledTimes(3)
    await ring.findOrReload('new-one')
    expect(load).toHaveBeenCalledTimes(3)
  })

  test('keeps its keys when they can’t be loaded again, and says 503 before they ever were', async () => {
    let isDown = true
    const key = await ringKey('only', true)
    const ring = new KeyRing(async () => {
      if (isDown) throw new Error('down')
      return [key]
    }, systemClock)
    await expect(ring.reload()).rejects.toThrow('down')
    expect(() => ring.signing()).toThrow(expect.objectContaining({ unavailable: true }))
    expect(() => ring.jwks()).toThrow(expect.objectContaining({ unavailable: true }))
    isDown = false
    const changed = vi.fn()
    ring.onChange(changed)
    await ring.reload()
    await ring.reload()
    expect(changed).toHaveBeenCalledTimes(1)
    isDown = true
    await expect(ring.reload()).rejects.toThrow('down')
    expect(ring.signing().kid).toBe('only')
  })
})
