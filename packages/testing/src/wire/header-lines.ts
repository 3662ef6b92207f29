import { get, hidden, joined, line, post, refused, taken, type WireRow, wrong } from './wire-row.ts'

const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `X-${at}: 1`)
const control = (code: number): string => String.fromCharCode(code)

/** Header lines (RFC 9112 5, RFC 9110 5). */
export const headerLines: readonly WireRow[] = [
  ...refused('RFC 9112 5.1', [
    ['a blank before the colon', get('X-A : b')],
    ['a tab before the colon', get('X-A\t: b')],
    ['no colon', get('X-A')],
    ['no name', get(': b')],
    ['a blank as name', get(' : b')],
    ['a blank in the name', get('X A: b')],
    ['a line that begins with a blank', get(' X-A: b')],
    ['a folded line', get('X-A: b\r\n c')],
    ['a folded line of a tab', get('X-A: b\r\n\tc')],
    ['a folded first line', line('GET {path} HTTP/1.1\r\n X-A: b')],
    ['an identity on a folded line', get('X-A: b\r\n X-Platform-User-Id: root')],
  ]),
  ...refused('RFC 9112 2.2', [
    ['a bare LF between lines', get('X-A: b\nX-B: c')],
    ['a bare CR between lines', get('X-A: b\rX-B: c')],
    ['a bare CR at the end of a value', get('X-A: b\r')],
    ['only LF everywhere', (to) => get('X-A: b')(to).replaceAll('\r\n', '\n')],
    ['a bare LF at the end of the head', (to) => get()(to).replace(/\r\n$/, '\n')],
    ['a CR CR LF', get('X-A: b\r')],
    ['a bare CR at the end of the head', (to) => get()(to).replace(/\r\n$/, '\rX')],
  ]),
  ...refused('RFC 9110 5.5', [
    ...[0, 1, 7, 8, 11, 12, 27, 127].map(
      (code) => [`the control byte ${code} in a value`, get(`X-A: a${control(code)}b`)] as const,
    ),
    ...[0, 1, 8, 127, 128, 255].map(
      (code) => [`the byte ${code} in a name`, get(`X-${control(code)}A: b`)] as const,
    ),
    ...['(', ')', ',', '/', ';', '<', '=', '>', '?', '@', '[', '\\', ']', '{', '}', '"'].map(
      (char) => [`${char} in a name`, get(`X${char}A: b`)] as const,
    ),
  ]),
  ...refused('a request has one identity', [
    ...[
      'Content-Type',
      'Authorization',
      'User-Agent',
      'Content-Encoding',
      'Origin',
      'Idempotency-Key',
      'X-Platform-Api-Key',
      'X-Platform-User-Id',
    ].map((name) => [`${name} twice`, get(`${name}: a`, `${name.toLowerCase()}: b`)] as const),
  ]),
  ...refused('RFC 9110 5.4', [
    ['100 headers', get(...many(100)), { answers: [[431]] }],
    ['1,000 headers', get(...many(1000)), { answers: [[431]] }],
    ['a value of 17 KB', get(`X-A: ${'a'.repeat(17_000)}`), { answers: [[431]] }],
    ['a name of 17 KB', get(`${'a'.repeat(17_000)}: b`), { answers: [[431]] }],
    ['a cookie of 17 KB', get(`Cookie: a=${'a'.repeat(17_000)}`), { answers: [[431]] }],
    ['17 KB in 90 headers', get(...many(90).map((one) => one + 'a'.repeat(190))), { answers: [[431]] }],
    [
      '100 headers and a hidden body',
      post([...many(100), 'Content-Length: 0'], hidden),
      { answers: [[431]] },
    ],
  ]),
  ...wrong(
    'RFC 9110 5.5',
    ['get', 400],
    [
      ['bytes beyond ASCII in a value', get('X-A: \u00e9\u00ff')],
      ['a value that ends in many blanks', get(`X-A: b${' '.repeat(1000)}`)],
    ],
  ),
  ...taken('RFC 9112 5', [
    ['a value without a blank before it', get('X-A:b')],
    ['tabs around a value', get('X-A:\tb\t')],
    ['an empty value', get('X-A:')],
    ['a header twice that may be', get('X-A: b', 'X-A: c')],
    ['a name of all allowed characters', get("!#$%&'*+-.^_`|~09azAZ: b")],
    ['60 headers', get(...many(60))],
    ['a value of 8 KB', get(`X-A: ${'a'.repeat(8000)}`)],
    ['a blank line before the request', joined('\r\n', get())],
    ['an unknown content type of nothing', get('Content-Type: a/b')],
  ]),
]
