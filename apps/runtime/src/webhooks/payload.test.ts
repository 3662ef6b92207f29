import { longestTurn } from '@platform/testing'
import { expect, test } from 'vitest'
import { readBody } from './payload.ts'

const TYPE = 'multipart/form-data; boundary=b'

test.each([
  ['very many parts', '--b\r\n\r\n\r\n'.repeat(900_000)],
  ['a part with very many headers', `--b\r\n${'a: b\r\n'.repeat(1_500_000)}\r\nx\r\n--b--`],
])('a form of %s holds nobody else up', async (_, text) => {
  const bytes = Buffer.from(text)
  const { longestMs } = await longestTurn(() => readBody(bytes, TYPE, 10_000_000).catch(() => undefined))
  expect(longestMs).toBeLessThan(400)
})

test('a file that is larger than one may be is refused, naming it', async () => {
  const form = (size: number) =>
    Buffer.from(
      '--b\r\ncontent-disposition: form-data; name="scan"; filename="a.png"\r\ncontent-type: image/png\r\n\r\n' +
        `${'x'.repeat(size)}\r\n--b--\r\n`,
    )
  expect(await readBody(form(1000), TYPE, 1000)).toMatchObject({ scan: { size: 1000 } })
  await expect(readBody(form(1001), TYPE, 1000)).rejects.toMatchObject({
    name: 'PayloadTooLarge',
    message: 'The file "scan" of the form has more than 1000 bytes.',
  })
})
