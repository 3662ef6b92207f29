import { bare, get, hidden, joined, line, post, refused, taken, type WireRow, wrong } from './wire-row.ts'

const served = ['get', 'post'] as const
const UPGRADE = 'Connection: Upgrade'

/**
 * Several requests on one connection, upgrades, expectations, and how a connection ends (RFC 9112 9, RFC 9110 7.8,
 * 10.1.1).
 */
export const connections: readonly WireRow[] = [
  ...taken('RFC 9112 9.3', [
    ['two requests in one piece', joined(get(), get()), { answers: [served, served] }],
    [
      'ten requests in one piece',
      joined(...Array.from({ length: 10 }, () => get())),
      { answers: Array.from({ length: 10 }, () => served) },
    ],
    [
      'bodies and requests in one piece',
      joined(
        post(['Content-Length: 3'], 'abc'),
        get(),
        post(['Transfer-Encoding: chunked'], '1\r\na\r\n0\r\n\r\n'),
        get(),
      ),
      { answers: [served, served, served, served] },
    ],
    ['a blank line between requests', joined(get(), '\r\n', get()), { answers: [served, served] }],
    [
      'what looks like a request in a body',
      (to) => post([`Content-Length: ${hidden(to).length}`], hidden)(to),
    ],
    [
      'what looks like a request in a chunk',
      (to) =>
        post(
          ['Transfer-Encoding: chunked'],
          `${hidden(to).length.toString(16)}\r\n${hidden(to)}\r\n0\r\n\r\n`,
        )(to),
    ],
    ['HEAD', line('HEAD {path} HTTP/1.1'), { isHead: true, answers: [['get', 'post', 404, 405]] }],
    ['HTTP/1.0 that keeps the connection', bare('GET {path} HTTP/1.0', 'Host: a', 'Connection: keep-alive')],
    ['Connection with unknown tokens', get('Connection: keep-alive, x-a')],
    ['a Keep-Alive header', get('Keep-Alive: timeout=1, max=100')],
    ['Range games', get('Range: bytes=0-0,1-1,2-2,3-,-1')],
    ['a Range that makes no sense', get('Range: bytes=9-1')],
    ['a Range of another unit', get(`Range: ${'x'.repeat(500)}=1`)],
    ['TE: trailers', get('TE: trailers', 'Connection: TE')],
  ]),
  ...wrong(
    'RFC 9112 9.6',
    [...served],
    [
      ['Connection: close', get('Connection: close'), { end: 'closed' }],
      ['Connection: Close and keep-alive', get('Connection: keep-alive, Close'), { end: 'closed' }],
      ['HTTP/1.0 without a host', bare('GET {path} HTTP/1.0'), { end: 'closed' }],
      ['a request behind Connection: close', joined(get('Connection: close'), hidden), { end: 'closed' }],
      [
        'garbage behind Connection: close',
        joined(get('Connection: close'), 'GARBAGE\r\n\r\n'),
        { end: 'closed' },
      ],
    ],
  ),
  ...refused('RFC 9112 9.3', [
    ['garbage behind a refused request', joined(get('X-A : b'), hidden)],
    ['a request behind a refused Host', joined(bare('GET {path} HTTP/1.1', 'Host: a@b'), hidden)],
    ['a request behind two lengths', joined(post(['Content-Length: 1', 'Content-Length: 1'], 'a'), hidden)],
    ['a half request at the end', (to) => get('X-A: b')(to).slice(0, -3), { isAll: true }],
    ['nothing at all', () => '', { isAll: true, mayBeFewer: true }],
  ]),
  ...refused('RFC 9112 2.2', [
    [
      'a WebSocket behind an honest request',
      joined(
        get(),
        get(
          UPGRADE,
          'Upgrade: websocket',
          'Sec-WebSocket-Version: 13',
          'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
        ),
      ),
      { answers: [served, [400]], mayBeFewer: true },
    ],
    [
      'garbage behind an honest request',
      joined(get(), 'GARBAGE\r\n\r\n'),
      { answers: [served, [400]], mayBeFewer: true },
    ],
    [
      'a NUL behind an honest request',
      joined(get(), '\u0000\u0000'),
      { answers: [served, [400]], mayBeFewer: true },
    ],
  ]),
  ...refused('RFC 9110 7.8', [
    [
      'a WebSocket without a key',
      get(UPGRADE, 'Upgrade: websocket'),
      { answers: [[400, 401, 404, 405, 426]] },
    ],
    [
      'HTTP/2 and both lengths',
      post(
        [
          'Connection: Upgrade, HTTP2-Settings',
          'Upgrade: h2c',
          'HTTP2-Settings: AAMAAABkAAQAAP__',
          'Content-Length: 1',
          'Transfer-Encoding: chunked',
        ],
        '0\r\n\r\n',
      ),
    ],
  ]),
  ...taken('RFC 9110 7.8', [
    [
      'an offer of HTTP/2',
      get('Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__'),
    ],
    [
      'an offer of HTTP/2 before another request',
      joined(get('Connection: Upgrade', 'Upgrade: h2c'), get()),
      { answers: [served, served] },
    ],
    [
      'an offer of HTTP/2 with a body',
      post(['Connection: Upgrade', 'Upgrade: h2c', 'Content-Length: 3'], 'abc'),
    ],
    ['an offer of TLS', get(UPGRADE, 'Upgrade: TLS/1.0')],
    ['an offer of several', get(UPGRADE, 'Upgrade: h2c, websocket')],
    ['an offer of something unknown', get(UPGRADE, 'Upgrade: a/1')],
    ['an offer of something unknown with a body', post([UPGRADE, 'Upgrade: a/1', 'Content-Length: 1'], 'a')],
    [
      'an offer of something unknown before another request',
      joined(get(UPGRADE, 'Upgrade: a/1'), get()),
      { answers: [served, served] },
    ],
    ['Upgrade without Connection', get('Upgrade: websocket')],
  ]),
  ...wrong(
    'RFC 9110 10.1.1',
    [417],
    [
      ['an unknown expectation', post(['Expect: 200-maybe', 'Content-Length: 1'], 'a')],
      ['100-continue with a parameter', post(['Expect: 100-continue;a=b', 'Content-Length: 1'], 'a')],
      ['a list of expectations', post(['Expect: 100-continue, 200-maybe', 'Content-Length: 1'], 'a')],
    ],
  ),
  ...refused('RFC 9110 10.1.1', [
    ['two expectations', post(['Expect: 100-continue', 'Expect: 100-continue', 'Content-Length: 1'], 'a')],
    [
      'an unknown expectation and two lengths',
      post(['Expect: x', 'Content-Length: 1', 'Transfer-Encoding: chunked'], '0\r\n\r\n'),
    ],
  ]),
  ...taken('RFC 9110 10.1.1', [
    ['100-continue', post(['Expect: 100-continue', 'Content-Length: 1'], 'a'), { end: 'either' }],
    ['100-continue in capitals', post(['Expect: 100-CONTINUE', 'Content-Length: 1'], 'a'), { end: 'either' }],
    ['100-continue without a body', get('Expect: 100-continue'), { end: 'either' }],
    [
      'an expectation in HTTP/1.0',
      bare('GET {path} HTTP/1.0', 'Host: a', 'Expect: 100-continue'),
      { end: 'closed' },
    ],
  ]),
]
