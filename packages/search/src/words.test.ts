import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasPrefix, wantedIn, wordsIn, wordsOf } from './words.ts'

const UUID = '01A21ADD-0cf5-7641-bdf3-f74774ed0989'

describe('words', () => {
  it('are runs of letters, marks and digits, in lower case', () => {
    expect(wordsOf('Order #5: "Ada" paid 12.50€ — Größe_XL')).toEqual([
      'order',
      '5',
      'ada',
      'paid',
      '12',
      '50',
      'größe',
      'xl',
    ])
    expect(wordsOf(' \0 🚀 %$* ')).toEqual([])
  })

  it('are a UUID whole, where nothing else goes on with it', () => {
    expect(wordsOf(`id:${UUID}, x${UUID}`)).toEqual([
      'id',
      UUID.toLowerCase(),
      'x01a21add',
      '0cf5',
      '7641',
      'bdf3',
      'f74774ed0989',
    ])
    expect(wordsOf(`${UUID}0`)).toHaveLength(5)
  })

  it('are the same however letters are composed', () => {
    expect(wordsOf('ko\u0308ln')).toEqual(wordsOf('k\u00f6ln'))
  })

  it('are cut after a hundred, never within a letter', () => {
    const [word = ''] = wordsOf(`${'x'.repeat(99)}𝒜𝒜`)
    expect(word).toBe('x'.repeat(99))
    expect(wordsOf('y'.repeat(300))).toEqual(['y'.repeat(100)])
  })

  it('of a document are those of its keys and leaves, each once', () => {
    const document = { type: 'a.b', list: [1, [true, { deep: 'A' }], null], gone: undefined }
    expect(wordsIn(document)).toEqual(['type', 'a', 'b', 'list', '1', 'true', 'deep'])
  })

  it('of a document are those of each of its texts, whatever characters these have', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.string({
        unit: fc.constantFrom('a', 'B', '7', ' ', '-', UUID, 'é', 'e\u0301', '𝒜', 'İ', 'Σ', '\u0338'),
        maxLength: 250,
      }),
    )
    fc.assert(
      fc.property(fc.array(text, { maxLength: 4 }), (texts) => {
        expect(wordsIn(texts)).toEqual([...new Set(texts.flatMap(wordsOf))])
        const keyed = Object.fromEntries(texts.map((one) => [one, one]))
        expect(wordsIn(keyed)).toEqual([...new Set(Object.keys(keyed).flatMap(wordsOf))])
      }),
    )
  })

  it('of a large document are no more than a store takes', () => {
    const many = Array.from({ length: 9000 }, (_, number) => `w${number}`)
    expect(wordsIn(many)).toHaveLength(5000)
    const long = Array.from({ length: 4900 }, (_, number) => `${number}${'字'.repeat(95)}`)
    expect(Buffer.byteLength(wordsIn(long).join(' '))).toBeLessThan(1_000_000)
  })

  it('begin with a prefix', () => {
    expect(hasPrefix(['lovelace'], 'love')).toBe(true)
    expect(hasPrefix(['lovelace'], 'lace')).toBe(false)
  })
})

describe('words that a text asks for', () => {
  it('are also the runs of what may be the beginning of a UUID', () => {
    expect(wantedIn('paid 01A21ADD-0cf5-76')).toEqual([
      { word: 'paid', runs: [] },
      { word: '01a21add-0cf5-76', runs: ['01a21add', '0cf5', '76'] },
    ])
    expect(wantedIn(UUID)).toEqual([
      { word: UUID.toLowerCase(), runs: ['01a21add', '0cf5', '7641', 'bdf3', 'f74774ed0989'] },
    ])
    expect(wantedIn('well-known 01a21add-')).toEqual(
      ['well', 'known', '01a21add'].map((word) => ({ word, runs: [] })),
    )
  })
})
