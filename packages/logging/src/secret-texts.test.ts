import { describe, expect, test } from 'vitest'
import { SecretTexts } from './secret-texts.ts'

function secretsOf(...texts: string[]): SecretTexts {
  const secrets = new SecretTexts()
  for (const text of texts) secrets.add(text)
  return secrets
}

describe('masking', () => {
  test.each([
    [['hunter2'], 'my hunter2, and hunter2', 'my REDACTED, and REDACTED'],
    [['abcd1234', '1234efgh'], 'x abcd1234efgh y', 'x REDACTED y'],
    [['aaaa'], 'aaaaaab', 'REDACTEDb'],
    [['she said', 'he sa', 'said so'], '"she said so" he sat', '"REDACTED" REDACTEDt'],
    [['abc'], 'abc', 'REDACTED'],
    [['abc'], 'abcd', 'abcd'],
    [['secret'], 'secretsecret', 'REDACTEDREDACTED'],
    [[''], 'text', 'text'],
    [['nope'], 'nop nope-', 'nop REDACTED-'],
    [['bcde', 'abcx'], 'abcde', 'aREDACTED'],
  ])('hides %j in %j', (texts, text, expected) => {
    expect(secretsOf(...texts).mask(text)).toBe(expected)
  })

  test('hides in keys and in everything below, and leaves the value as it was', () => {
    const value = { 'key-of-mine': ['x mine1 y', 1, null, { a: 'mine1' }] }
    expect(secretsOf('mine1', 'key-').mask(value)).toEqual({
      'REDACTEDof-mine': ['x REDACTED y', 1, null, { a: 'REDACTED' }],
    })
    expect(value['key-of-mine'][0]).toBe('x mine1 y')
    expect(new SecretTexts().mask(value)).toBe(value)
  })

  test('finds what looking for one secret after the other finds', () => {
    for (let seed = 1; seed < 200; seed += 1) {
      const text = Array.from({ length: 80 }, (_, i) => 'ab'[((i * i * seed) >> 3) & 1]).join('')
      const texts = [text.slice(seed % 60, (seed % 60) + 5), text.slice(seed % 50, (seed % 50) + 9), 'abba']
      const hidden = new Array<boolean>(text.length).fill(false)
      for (const one of texts)
        for (let at = text.indexOf(one); at !== -1; at = text.indexOf(one, at + 1))
          hidden.fill(true, at, at + one.length)
      const shown = [...text].filter((_, at) => hidden[at] !== true).join('')
      expect(String(secretsOf(...texts).mask(text)).replaceAll('REDACTED', '')).toBe(shown)
    }
  })

  test('takes time in proportion to the text, whatever the secrets are', () => {
    const secrets = secretsOf(`${'a'.repeat(20_000)}b${'a'.repeat(20_000)}`, 'a'.repeat(19_000))
    const text = `${'a'.repeat(18_000)}b`.repeat(50)
    const before = process.threadCpuUsage()
    expect(secrets.mask(text)).toBe(text)
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(2_000)
  })

  test('refuses more secrets than it can recognise', () => {
    const secrets = secretsOf('x'.repeat(60_000))
    expect(() => secrets.add('y'.repeat(60_000))).toThrow(/more than 100000 characters/)
    expect(secrets.mask({ y: 'y'.repeat(60_000) })).toEqual({ y: 'REDACTED' })
    secrets.add('x'.repeat(60_000))
  })
})
