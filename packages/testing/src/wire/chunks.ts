import { type Bytes, hidden, joined, post, refused, taken, type WireRow, wrong } from './wire-row.ts'

const chunked = (body: string | Bytes, ...lines: string[]): Bytes =>
  post(['Transfer-Encoding: chunked', ...lines], body)

/** The chunked coding (RFC 9112 7.1). */
export const chunks: readonly WireRow[] = [
  ...refused(
    'RFC 9112 7.1',
    [
      ['a chunk size that is no number', chunked('zz\r\nabc\r\n0\r\n\r\n')],
      ['a negative chunk size', chunked('-1\r\nabc\r\n0\r\n\r\n')],
      ['a chunk size with a plus', chunked('+1\r\na\r\n0\r\n\r\n')],
      ['a chunk size with 0x', chunked('0x1\r\na\r\n0\r\n\r\n')],
      ['an underscore in a chunk size', chunked('1_0\r\naaaaaaaaaaaaaaaa\r\n0\r\n\r\n')],
      ['a blank before a chunk size', chunked(' 1\r\na\r\n0\r\n\r\n')],
      ['a blank behind a chunk size', chunked('1 \r\na\r\n0\r\n\r\n')],
      ['a tab behind a chunk size', chunked('1\t\r\na\r\n0\r\n\r\n')],
      ['no chunk size', chunked('\r\na\r\n0\r\n\r\n')],
      ['a chunk size beyond 64 bits', chunked('10000000000000001\r\na\r\n0\r\n\r\n')],
      ['a chunk size of a hundred digits', chunked(`${'f'.repeat(100)}\r\na\r\n0\r\n\r\n`)],
      ['a chunk size and a comma', chunked('1,\r\na\r\n0\r\n\r\n')],
      ['a chunk size and a fraction', chunked('1.0\r\na\r\n0\r\n\r\n')],
      ['a bare LF behind a chunk size', chunked('1\na\r\n0\r\n\r\n')],
      ['a bare CR behind a chunk size', chunked('1\ra\r\n0\r\n\r\n')],
      ['a NUL behind a chunk size', chunked('1\u0000\r\na\r\n0\r\n\r\n')],
      ['a bare LF behind a chunk', chunked('1\r\na\n0\r\n\r\n')],
      ['nothing behind a chunk', chunked('1\r\na0\r\n\r\n')],
      ['two bytes behind a chunk', chunked('1\r\naXX0\r\n\r\n')],
      ['a chunk that is longer than its size', chunked('1\r\nabc\r\n0\r\n\r\n')],
      ['a bare LF behind the last chunk', chunked(joined('0\n\r\n', hidden))],
      ['two bare LF at the end', chunked(joined('0\n\n', hidden))],
      ['a bare LF at the end', chunked(joined('0\r\n\n', hidden))],
      ['bytes instead of the end', chunked('0\r\nXX'), { isAll: true }],
      ['a bare LF in an extension', chunked('1;a\nb\r\na\r\n0\r\n\r\n')],
      ['a bare CR in an extension', chunked('1;a\rb\r\na\r\n0\r\n\r\n')],
      ['a NUL in an extension', chunked('1;a\u0000b\r\na\r\n0\r\n\r\n')],
      ['an extension of 20 KB', chunked(`1;a=${'b'.repeat(20_000)}\r\na\r\n0\r\n\r\n`)],
      ['a trailer with a blank before the colon', chunked('0\r\nX-A : b\r\n\r\n')],
      ['a trailer on a folded line', chunked('0\r\nX-A: b\r\n c\r\n\r\n')],
      ['a trailer with a NUL', chunked('0\r\nX-A: b\u0000\r\n\r\n')],
      ['trailers of 20 KB', chunked(`0\r\nX-A: ${'b'.repeat(20_000)}\r\n\r\n`)],
    ].map(early),
  ),
  ...refused('RFC 9112 8', [
    [
      'a chunked body that is cut off',
      chunked('5\r\nab'),
      { isAll: true, mayBeFewer: true, answers: [['post', 400]] },
    ],
    [
      'a chunked body without its end',
      chunked('1\r\na\r\n'),
      { isAll: true, mayBeFewer: true, answers: [['post', 400]] },
    ],
    [
      'a body that is cut off',
      post(['Content-Length: 10'], 'abc'),
      { isAll: true, mayBeFewer: true, answers: [['post', 400]] },
    ],
  ]),
  ...wrong(
    'RFC 9110 6.5.1',
    ['post', 400],
    [
      ['a trailer that frames', chunked('1\r\na\r\n0\r\nContent-Length: 50\r\n\r\n')],
      ['a trailer that names an identity', chunked('1\r\na\r\n0\r\nX-Platform-User-Id: root\r\n\r\n')],
      ['a trailer with a credential', chunked('1\r\na\r\n0\r\nAuthorization: Bearer x\r\n\r\n')],
      ['a trailer with the internal key', chunked('1\r\na\r\n0\r\nX-Platform-Internal-Key: x\r\n\r\n')],
      ['a trailer with a host', chunked('1\r\na\r\n0\r\nHost: evil.example\r\n\r\n')],
    ],
  ),
  ...taken('RFC 9112 7.1', [
    ['no chunk but the last', chunked('0\r\n\r\n')],
    ['zeros before a chunk size', chunked('0001\r\na\r\n0\r\n\r\n')],
    ['zeros as the last size', chunked('1\r\na\r\n000\r\n\r\n')],
    ['a chunk size in capitals', chunked('A\r\naaaaaaaaaa\r\n0\r\n\r\n')],
    ['an extension', chunked('1;a=b\r\na\r\n0\r\n\r\n')],
    ['an extension in quotes', chunked('1;a="b;c"\r\na\r\n0\r\n\r\n')],
    ['an extension without a value', chunked('1;a\r\na\r\n0;b\r\n\r\n')],
    ['a trailer', chunked('1\r\na\r\n0\r\nX-Checksum: b\r\n\r\n', 'Trailer: X-Checksum')],
  ]),
]

type Case = readonly [name: string, bytes: Bytes, options?: Partial<WireRow>]

/**
 * What is wrong comes behind a whole head: a service may have answered already, with a status of its own, but only
 * once.
 */
function early(
  one: readonly [string, Bytes, Partial<WireRow>?] | (string | Bytes | Partial<WireRow>)[],
): Case {
  const [name, bytes, options] = one as Case
  return [name, bytes, { answers: [['post', 400, 431, 413]], ...options }]
}
