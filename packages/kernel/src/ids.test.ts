import { describe, expect, test } from 'vitest'
import {
  derivedUuidv7,
  isDerivedUuid,
  isUuid,
  newWorkspaceId,
  randomBase62,
  uuidv7,
  uuidv7Ms,
} from './ids.ts'

const V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

describe('a UUIDv7', () => {
  test('has version, variant and the instant it was made at', () => {
    for (let ms = 0; ms < 2 ** 45; ms = ms * 3 + 1) {
      const id = uuidv7(ms)
      expect(id).toMatch(V7)
      expect(uuidv7Ms(id)).toBe(ms)
    }
  })

  test('sorts as text by its instant', () => {
    const instants = [0, 1, 255, 256, 1_700_000_000_000, 1_700_000_000_001, 2 ** 44]
    const ids = instants.map((ms) => uuidv7(ms))
    expect([...ids].sort()).toEqual(ids)
  })

  test('is never made twice, also within one millisecond', () => {
    const ids = Array.from({ length: 10_000 }, () => uuidv7(1_700_000_000_000))
    expect(new Set(ids).size).toBe(10_000)
    expect(new Set(ids.map((id) => id.slice(0, 13))).size).toBe(1)
  })

  test('comes after the one before it, also within one millisecond', () => {
    const ids = Array.from({ length: 1000 }, () => uuidv7(1_700_000_000_002))
    expect([...ids].sort()).toEqual(ids)
  })

  test('takes the clock of the machine where no instant is given', () => {
    const before = Date.now()
    const ms = uuidv7Ms(uuidv7())
    expect(ms).toBeGreaterThanOrEqual(before)
    expect(ms).toBeLessThanOrEqual(Date.now())
  })

  test('is the only thing an instant is read from', () => {
    for (const text of ['', 'x', '7c9e6679-7425-40de-944b-e07fc1f90ae7', uuidv7().toUpperCase()]) {
      expect(() => uuidv7Ms(text)).toThrow('Only a UUIDv7')
      expect(() => derivedUuidv7(text, 'a')).toThrow('Only a UUIDv7')
    }
  })
})

describe('a derived UUIDv7', () => {
  const base = '018f5f6e-9d3a-7abc-8def-0123456789ab'

  test('is a valid one with the instant of the id it comes from', () => {
    for (let count = 0; count < 1000; count += 1) {
      const id = derivedUuidv7(base, 'run', count)
      expect(id).toMatch(V7)
      expect(uuidv7Ms(id)).toBe(uuidv7Ms(base))
    }
  })

  test('is marked, so that it is told from ids that others chose', () => {
    for (let ms = 0; ms < 2 ** 45; ms = ms * 3 + 7) {
      const id = derivedUuidv7(uuidv7(ms), 'run', ms)
      expect([isDerivedUuid(id), uuidv7Ms(id)]).toEqual([true, ms])
    }
    const others = Array.from({ length: 1000 }, () => isDerivedUuid(uuidv7()))
    expect(others.filter(Boolean).length).toBeLessThan(3)
  })

  test('is the same for the same parts, on every machine and in every version', () => {
    expect(derivedUuidv7(base, 'run', 'do[0].emit', 1)).toBe('018f5f6e-9d3a-7fff-bff9-a1bd3e7da620')
  })

  test('differs as soon as one part differs or is cut elsewhere', () => {
    const ids = [['a', 'b'], ['ab'], ['a', 'b', ''], ['b', 'a'], ['a', 1], ['a1']].map((parts) =>
      derivedUuidv7(base, ...parts),
    )
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('random names', () => {
  test('a workspace id has 16 characters, the first a letter', () => {
    for (let count = 0; count < 1000; count += 1) expect(newWorkspaceId()).toMatch(/^[a-z][a-z0-9]{15}$/)
  })

  test('every character is equally likely', () => {
    const counts = new Map<string, number>()
    const text = Array.from({ length: 4000 }, () => newWorkspaceId().slice(1)).join('')
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
    const expected = text.length / 36
    expect(counts.size).toBe(36)
    // Five standard deviations: wrong once in a million runs.
    for (const count of counts.values())
      expect(Math.abs(count - expected)).toBeLessThan(5 * Math.sqrt(expected))
  })

  test('base62 has exactly the asked length', () => {
    for (const length of [0, 1, 6, 43, 500])
      expect(randomBase62(length)).toMatch(new RegExp(`^[0-9A-Za-z]{${length}}$`))
  })

  test('a UUID is recognised in lower case only', () => {
    expect(isUuid('7c9e6679-7425-40de-944b-e07fc1f90ae7')).toBe(true)
    expect(isUuid('7C9E6679-7425-40DE-944B-E07FC1F90AE7')).toBe(false)
    expect(isUuid('7c9e6679-7425-40de-944b-e07fc1f90ae7\n')).toBe(false)
  })
})
