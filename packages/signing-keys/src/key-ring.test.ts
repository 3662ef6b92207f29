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
      Promise.all(Array.from({ length: 150 }, (_, index) => ring.findOrReload(`unknown-${round}-${index}`)))
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

  test('calls no token bad whose key it had no room to look for, and known keys wait for nothing', async () => {
    const keys = [await ringKey('known', true)]
    const ring = new KeyRing(async () => [...keys], systemClock)
    await ring.reload()
    keys.push(await ringKey('new-one', false))
    await ring.findOrReload('unknown') // within a second of which the keys are not read again
    keys.push(await ringKey('newer-one', false))
    const flood = Array.from({ length: 300 }, (_, index) => ring.findOrReload(`unknown-${index}`))
    const honest = ring.findOrReload('newer-one')
    await expect(honest).rejects.toMatchObject({ unavailable: true })
    expect(await ring.findOrReload('known')).toBeDefined()
    const outcomes = await Promise.allSettled(flood)
    const looked = outcomes.filter((each) => each.status === 'fulfilled')
    expect(looked.map(({ value }) => value)).toEqual(Array(200).fill(undefined))
    // The round the flood has waited for has read the new key too.
    expect(await ring.findOrReload('newer-one')).toBeDefined()
  })

  test('hears of a key at whatever moment of a reload it is told to load again', async () => {
    const [first, second] = [await ringKey('first', true), await ringKey('second', false)]
    for (let ticks = 0; ticks < 12; ticks += 1) {
      const keys = [first]
      const ring = new KeyRing(async () => [...keys], systemClock)
      const running = ring.reload()
      for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
      keys.push(second)
      await ring.reload()
      expect(ring.find('second'), `${ticks} ticks`).toBeDefined()
      await running
    }
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
