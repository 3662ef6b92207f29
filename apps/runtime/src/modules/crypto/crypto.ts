import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { FunctionsOf } from '../module.ts'
import { withSecrets } from '../secrets/reveal.ts'

type Encoding = 'hex' | 'base64' | 'base64url'

interface Given {
  readonly data: string
  readonly inputEncoding?: 'utf8' | Encoding | undefined
  readonly encoding?: Encoding | undefined
}

const digest = (algorithm: string, { data, inputEncoding = 'utf8', encoding = 'hex' }: Given): string =>
  createHash(algorithm).update(data, inputEncoding).digest(encoding)

/** As long for texts that begin alike as for others. */
const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(createHash('sha256').update(given).digest(), createHash('sha256').update(expected).digest())

/**
 * `crypto`. Nothing of it is kept: a run that is done again computes the same, and chance is that of the run. Only what
 * comes of a secret is, because that may be another one by then.
 */
export const cryptoFunctions: FunctionsOf<'crypto'> = {
  hash: ({ algorithm = 'sha256', ...given }) => digest(algorithm, given),
  sha256: (given) => digest('sha256', given),
  sha512: (given) => digest('sha512', given),
  md5: (given) => digest('md5', given),
  hmac: (
    { algorithm = 'sha256', key, keyEncoding = 'utf8', data, inputEncoding = 'utf8', encoding = 'hex' },
    call,
  ) =>
    withSecrets(call, key, (known) =>
      createHmac(algorithm, Buffer.from(known, keyEncoding)).update(data, inputEncoding).digest(encoding),
    ),
  equals: ({ data, expected }, call) =>
    withSecrets(call, expected, (known) => isGivenText(data) && isSame(String(data), known)),
  base64Encode: ({ data, inputEncoding = 'utf8', encoding = 'base64' }) =>
    Buffer.from(data, inputEncoding).toString(encoding),
  base64Decode: ({ data, encoding = 'utf8' }) => Buffer.from(data, 'base64').toString(encoding),
  randomBytes: ({ size, encoding = 'hex' }, { frame }) => frame.run.randomBytes(size).toString(encoding),
  randomUUID: (_, { frame }) => uuidOf(frame.run.randomBytes(16)),
}

/** Templates may have made a number of a text. */
const isGivenText = (data: unknown): boolean => typeof data === 'string' || typeof data === 'number'

/** Version 4. */
function uuidOf(bytes: Buffer): string {
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
