import { describe, expect, it } from 'vitest'
import { requireGoodPassword, weaknessOf } from './password-rules.ts'

const ada = { email: 'ada.lovelace@engines.example', firstName: 'Ada', lastName: 'Lovelace' }

describe('a password that is chosen', () => {
  it.each([
    'password',
    'Password1!',
    'PASSWORD123',
    '12345678',
    'qwertyuiop',
    'iloveyou',
    '1qaz2wsx',
    'letmein!!!',
    'ｐａｓｓｗｏｒｄ',
    'aaaaaaaaaa',
    'abababab',
    '87654321',
    'abcdefghij',
  ])('is refused where everybody tries it: %s', (password) => {
    expect(weaknessOf(password, {})).toBe('common')
    expect(() => requireGoodPassword(password, {})).toThrow('among those that are tried first')
  })

  it.each([
    'ada.lovelace@engines.example',
    'ADA.LOVELACE',
    'lovelace1815',
    'AdaLovelace!',
    'Lovelace-Ada-1',
    'engines2026',
    'lovelace12345678',
    'lovelacepassword',
  ])('is refused where the account itself gives it away: %s', (password) => {
    expect(weaknessOf(password, ada)).toBe('personal')
    expect(() => requireGoodPassword(password, ada)).toThrow('little beside your name or address')
  })

  it.each([
    'correct horse battery',
    'the lovelace of analytical engines sings',
    'x7#kPq92',
    'Adagio for strings',
    '🔑'.repeat(128),
  ])('may be %s', (password) => {
    expect(weaknessOf(password, ada)).toBeUndefined()
    expect(() => requireGoodPassword(password, ada)).not.toThrow()
  })

  it('is still of 8 to 128 characters', () => {
    expect(() => requireGoodPassword('short', {})).toThrow('8 to 128 characters')
  })

  it('is looked at in time that grows with its length alone', () => {
    const before = process.threadCpuUsage()
    for (const part of ['a', 'ab', '1', '!a', 'abcd'])
      weaknessOf(part.repeat(400), { ...ada, firstName: part.repeat(30) })
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(2000)
  })
})
