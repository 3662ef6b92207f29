import { describe, expect, it } from 'vitest'
import { hashRecoveryCode, newRecoveryCodes, readRecoveryCode } from './recovery-code.ts'

describe('recovery codes', () => {
  it('are ten different ones, in groups nobody misreads', () => {
    const codes = newRecoveryCodes()
    expect(new Set(codes).size).toBe(10)
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}(-[0-9A-HJKMNP-TV-Z]{5}){2}$/)
  })

  it.each([
    ['abcde-fghjk-mnpqr', 'ABCDEFGHJKMNPQR'],
    ['ABCDE FGHJK MNPQR', 'ABCDEFGHJKMNPQR'],
    ['oil00-00000-00000', '011000000000000'],
    ['ABCDE-FGHJK-MNPQ', undefined],
    ['ABCDE-FGHJK-MNPQU', undefined],
    ['123456', undefined],
    ['', undefined],
  ])('are read from %j', (typed, code) => {
    expect(readRecoveryCode(typed)).toBe(code)
  })

  it('hash the same however they are typed, and differently for each user', () => {
    const [code = ''] = newRecoveryCodes()
    expect(hashRecoveryCode('ada', code.toLowerCase())).toBe(hashRecoveryCode('ada', code))
    expect(hashRecoveryCode('bob', code)).not.toBe(hashRecoveryCode('ada', code))
  })
})
