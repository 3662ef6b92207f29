import { masterKeyRing } from '@platform/master-keys'
import { describe, expect, test } from 'vitest'

describe('master keys', () => {
  const one = { id: 'one', key: Buffer.alloc(32, 1) }
  const two = { id: 'two', key: Buffer.alloc(32, 2) }

  test('open what they sealed, where it was put and nowhere else', () => {
    const sealed = masterKeyRing([one]).seal('secret', 'table|row|column')
    expect(sealed).not.toContain('secret')
    expect(masterKeyRing([two, one]).open(sealed, 'table|row|column')).toBe('secret')
    expect(() => masterKeyRing([one]).open(sealed, 'table|other|column')).toThrow(
      'is not the one that sealed table|other|column',
    )
    expect(() => masterKeyRing([{ ...two, id: 'one' }]).open(sealed, 'table|row|column')).toThrow(
      'restore it',
    )
    expect(() => masterKeyRing([two]).open(sealed, 'table|row|column')).toThrow('has no key "one"')
  })
})
