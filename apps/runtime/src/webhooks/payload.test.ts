import { expect, test } from 'vitest'
import { readBody } from './payload.ts'

const TYPE = 'multipart/form-data; boundary=b'

test.each([
  ['very many parts', '--b\r\n\r\n\r\n'.repeat(900_000)],
  ['a part with very many headers', `--b\r\n${'a: b\r\n'.repeat(1_500_000)}\r\nx\r\n--b--`],
])('a form of %s holds nobody else up', async (_, text) => {
  let longest = 0
  let last = performance.now()
  const others = setInterval(() => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }, 1)
  const bytes = Buffer.from(text)
  last = performance.now()
  await readBody(bytes, TYPE).catch(() => undefined)
  longest = Math.max(longest, performance.now() - last)
  clearInterval(others)
  expect(longest).toBeLessThan(400)
})
