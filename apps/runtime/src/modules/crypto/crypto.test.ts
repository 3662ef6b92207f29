import { expect, test } from 'vitest'
import { compiled, runMain } from '../../../test/testing.ts'

async function call(name: string, parameters: Record<string, unknown>) {
  const run = { module: 'crypto', function: name, parameters, output: 'out' }
  const outcome = await runMain(compiled({ main: { do: [{ run }], output: '{{out}}' } }))
  return outcome.failed === undefined ? outcome.output : outcome.failed.failure.message
}

test.each([
  ['hash', { data: 'abc', algorithm: 'sha1' }, 'a9993e364706816aba3e25717850c26c9cd0d89d'],
  ['sha256', { data: 'abc', encoding: 'base64' }, 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='],
  [
    'sha256',
    { data: 'YWJj', inputEncoding: 'base64', encoding: 'base64url' },
    'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0',
  ],
  ['md5', { data: 'abc' }, '900150983cd24fb0d6963f7d28e17f72'],
  [
    'hmac',
    { data: 'a', key: '6b6579', keyEncoding: 'hex', algorithm: 'md5' },
    expect.stringMatching(/^[0-9a-f]{32}$/),
  ],
  ['equals', { data: 'abc', expected: 'abc' }, true],
  ['equals', { data: 7, expected: 7 }, true],
  ['equals', { data: 'abd', expected: 'abc' }, false],
  ['equals', { expected: 'abc' }, false],
  ['equals', { data: '', expected: '' }, expect.stringContaining('expected must not be empty')],
  ['base64Encode', { data: 'ü?>', encoding: 'base64url' }, 'w7w_Pg'],
  ['base64Decode', { data: 'w7w_Pg' }, 'ü?>'],
  ['hash', { data: 'abc', algorithm: 'sha3' }, expect.stringContaining('algorithm Invalid option')],
  ['randomBytes', { size: 2000 }, expect.stringContaining('size Too big')],
])('%s of %j', async (name, parameters, result) => {
  expect(await call(name, parameters)).toEqual(result)
})

test('sha512 and the uuid have their lengths', async () => {
  expect(await call('sha512', { data: '' })).toHaveLength(128)
  expect(await call('randomUUID', {})).toHaveLength(36)
})
