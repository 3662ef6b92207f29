import { describe, expect, test } from 'vitest'
import { type Edge, forEach, useEdge } from '../../test/raw-edge.ts'

const edge = useEdge()

const breaks = [
  '\r\n',
  '\n',
  '\r',
  '%0d%0a',
  '%0a',
  '%0d',
  '%250d%250a',
  '\u00c4\u008d\u00c4\u008a',
  '\u00e5\u0098\u008a\u00e5\u0098\u008d',
  '\\r\\n',
  '\u0085',
  '%E2%80%A8',
  '\u000b',
  '\u000c',
  '\u001c',
  '%u000d%u000a',
]
const injected = [
  'Set-Cookie: access-token=evil',
  'X-Evil: 1',
  'Location: https://evil.example',
  'Content-Length: 0',
  'Transfer-Encoding: chunked',
  'X-Platform-User-Id: root',
]
/** Each puts a value where the gateway may repeat it. */
const carriers = (request: Edge['request']): ((value: string) => string)[] => [
  (value) => request('/v2/me', `X-Correlation-Id: abcdefgh${value}\r\n`),
  (value) => request('/v2/me', `traceparent: 00-${'a'.repeat(32)}-${'b'.repeat(16)}-01${value}\r\n`),
  (value) => request('/v2/nowhere', `Origin: http://localhost:3000${value}\r\n`),
  (value) => request(`/v2/nowhere/${value.replaceAll(' ', '%20')}`),
]

describe('line breaks a client hides in what is echoed', () => {
  test('never make a header of ours, and never a second answer', { timeout: 60_000 }, async () => {
    const { exchange, request } = edge()
    const lines = breaks.flatMap((cut) =>
      injected.flatMap((line) => carriers(request).map((carry) => carry(`${cut}${line}`))),
    )
    expect(lines.length).toBeGreaterThanOrEqual(371)
    await forEach(lines, async (bytes) => {
      const answer = await exchange(bytes)
      const head = answer.slice(0, answer.indexOf('\r\n\r\n')).toLowerCase().split('\r\n')
      expect(answer.match(/HTTP\/1\.1 \d{3}/g), bytes).toHaveLength(1)
      expect(
        head.filter((line) =>
          /^(x-evil|location|set-cookie|transfer-encoding|x-platform-user-id)\s*:/.test(line),
        ),
        bytes,
      ).toEqual([])
    })
  })
})
