import { describe, expect, test } from 'vitest'
import { compiled, runMain } from '../../../test/testing.ts'

async function call(name: string, parameters: Record<string, unknown>) {
  const run = { module: 'text', function: name, parameters: '{{given}}', output: 'out' }
  const outcome = await runMain(compiled({ main: { do: [{ run }], output: '{{out}}' } }), {
    given: parameters,
  })
  return outcome.failed === undefined ? outcome.output : outcome.failed.failure.message
}

describe('parseUrl', () => {
  test.each([
    [
      'https://api.example:8443/v2/files/ws1/abc.report%20one.PDF?token=x&y=1#top',
      {
        protocol: 'https',
        origin: 'https://api.example:8443',
        domain: 'api.example',
        port: '8443',
        path: '/v2/files/ws1/abc.report%20one.PDF',
        query: { token: 'x', y: '1' },
        hash: 'top',
        id: 'abc',
        filename: 'report one.PDF',
        ext: 'pdf',
        mimetype: 'application/pdf',
        workspaceId: 'ws1',
      },
    ],
    [
      'notes/readme',
      { domain: '', origin: '', path: 'notes/readme', filename: 'readme', ext: '', id: '', query: {} },
    ],
    ['a.txt?b=c', { path: 'a.txt', filename: 'a.txt', mimetype: 'text/plain', query: { b: 'c' } }],
    ['https://x.example/%', { filename: '%', domain: 'x.example' }],
  ])('takes %s apart', async (url, parts) => {
    expect(await call('parseUrl', { url })).toMatchObject(parts)
  })
})

describe('splitText', () => {
  test.each([
    [{ content: 'one two\nthree', chunkSize: 7 }, ['one two', 'three']],
    [{ content: 'one two three four', chunkSize: 9, chunkOverlap: 5 }, ['one two', 'two three', 'four']],
    [{ content: 'abcdefgh', chunkSize: 3, chunkOverlap: 1 }, ['abc', 'cde', 'efg', 'gh']],
    [{ content: 'a😀b', chunkSize: 2 }, ['a', '😀', 'b']],
    [{ content: '😀😀a', chunkSize: 1 }, ['😀', '😀', 'a']],
    [{ content: 'ab😀cd', chunkSize: 4, chunkOverlap: 1 }, ['ab😀', '😀cd']],
    [{ content: ['one two', 'three'], chunkSize: 20 }, ['one two', 'three']],
    [{ content: 'a;b;cc', chunkSize: 3, separators: [';'] }, ['a;b', 'cc']],
    [{ content: 'longword;b', chunkSize: 3, separators: [';'] }, ['longword', 'b']],
    [{ content: '', chunkSize: 3 }, []],
    [{ content: 'a', chunkSize: 3, chunkOverlap: 3 }, 'chunkOverlap must be less than chunkSize.'],
  ])('cuts %j', async (given, pieces) => {
    expect(await call('splitText', given)).toEqual(pieces)
  })

  test('keeps every piece small and every word, whatever the text', async () => {
    const words = Array.from({ length: 5000 }, (_, at) => `w${at}${at % 7 === 0 ? '\n\n' : ' '}`).join('')
    const pieces = (await call('splitText', { content: words, chunkSize: 100, chunkOverlap: 20 })) as string[]
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(100)
    const found = new Set(pieces.flatMap((piece) => piece.split(/\s+/)))
    expect(words.split(/\s+/).filter((word) => word !== '' && !found.has(word))).toEqual([])
  })
})

describe('search and substitute', () => {
  test('find a text as it is, or a pattern', async () => {
    expect(await call('search', { content: 'a.b\na.B', query: 'a.b', caseSensitive: false })).toEqual([
      { text: 'a.b', index: 0, line: 1, groups: [] },
      { text: 'a.B', index: 4, line: 2, groups: [] },
    ])
    expect(await call('search', { content: 'x1 y2', pattern: '[a-z](\\d)', limit: 1 })).toEqual([
      { text: 'x1', index: 0, line: 1, groups: ['1'] },
    ])
    expect(await call('search', { content: 'a' })).toContain('needs either query or pattern')
    const all = { content: 'a.b a.b', query: 'a.b', replacement: '$1.00' }
    expect(await call('substitute', all)).toEqual({ content: '$1.00 $1.00', count: 2 })
    expect(await call('substitute', { ...all, all: false })).toEqual({ content: '$1.00 a.b', count: 1 })
    expect(await call('substitute', { content: 'x1', pattern: '(\\w)1', replacement: '<$1>' })).toEqual({
      content: '<x>',
      count: 1,
    })
  })

  test('take no pattern that could take long, and no text that is too much', async () => {
    const content = `${'a'.repeat(30_000)}b`
    const startedAt = performance.now()
    expect(await call('search', { content, pattern: '(a+)+$' })).toBeDefined()
    expect(await call('search', { content, pattern: '(a)\\1' })).toContain('is not supported')
    expect(await call('substitute', { content, pattern: 'a*a*a*c', replacement: '' })).toBeDefined()
    expect(performance.now() - startedAt).toBePrompt(2000)
    expect(await call('search', { content: 'a'.repeat(1_000_001), query: 'b' })).toContain(
      'at most 1000000 characters',
    )
  })
})

describe('diff and applyPatch', () => {
  const before = 'one\ntwo\nthree\n'
  const after = 'one\n2\nthree\nfour\n'

  test('lead from one text to the other', async () => {
    const made = Object(await call('diff', { from: before, to: after }))
    expect(made).toMatchObject({ added: 2, removed: 1 })
    expect(await call('applyPatch', { content: before, patch: made.patch })).toBe(after)
    expect(await call('applyPatch', { content: 'other', patch: made.patch })).toContain(
      'does not fit the text',
    )
    expect(await call('diff', { from: before, to: before })).toEqual({ patch: '', added: 0, removed: 0 })
    expect(await call('applyPatch', { content: before, patch: '' })).toBe(before)
  })

  test('take no longer than they may', async () => {
    const lines = (salt: number) => Array.from({ length: 60_000 }, (_, at) => (at * salt) % 9973).join('\n')
    const startedAt = performance.now()
    expect(await call('diff', { from: lines(7), to: lines(11) })).toContain('differ too much')
    const hunk = (at: number) => `@@ -${at},1 +${at},1 @@\n-none\n+some\n`
    const patch = `--- a\n+++ b\n${Array.from({ length: 1000 }, (_, at) => hunk(at + 1)).join('')}`
    expect(await call('applyPatch', { content: lines(3), patch })).toContain('apply it in parts')
    expect(performance.now() - startedAt).toBePrompt(2000)
  })
})
