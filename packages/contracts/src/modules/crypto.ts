import { z } from 'zod'
import { fields } from '../instructions/templated.ts'
import { type ModuleDescription, numeric, text } from './module.ts'

const data = text(10_000_000)
const algorithm = z.enum(['sha256', 'sha512', 'sha1', 'md5'])
const encoding = z.enum(['hex', 'base64', 'base64url'])
const inputEncoding = z.enum(['utf8', 'hex', 'base64', 'base64url'])

const digested = {
  data: data.describe('A text.'),
  inputEncoding: inputEncoding.optional().describe('How the bytes are written in `data`; utf8 without it.'),
  encoding: encoding.optional().describe('How the bytes of the result are written; hex without it.'),
}

export const HashParameters = fields({
  algorithm: algorithm.optional().describe('sha256 without it.'),
  ...digested,
})
export const DigestParameters = fields(digested)
export const HmacParameters = fields({
  algorithm: algorithm.optional().describe('sha256 without it.'),
  key: text(10_000).describe('A text, or a reference to a secret, as `{{secret.name}}` is one.'),
  keyEncoding: inputEncoding.optional().describe('How the bytes are written in `key`; utf8 without it.'),
  ...digested,
})
export const EqualsParameters = fields({
  data: z.unknown().optional().describe('What somebody has sent. What is no text equals nothing.'),
  expected: text(10_000)
    .refine((expected) => expected !== '', 'must not be empty')
    .describe('A text, or a reference to a secret, as `{{secret.name}}` is one.'),
})
export const Base64EncodeParameters = fields({
  data,
  inputEncoding: inputEncoding.optional().describe('How the bytes are written in `data`; utf8 without it.'),
  encoding: z.enum(['base64', 'base64url']).optional().describe('base64 without it.'),
})
export const Base64DecodeParameters = fields({
  data,
  encoding: z.enum(['utf8', 'hex']).optional().describe('How the bytes are answered; utf8 without it.'),
})
export const RandomBytesParameters = fields({
  size: numeric(z.int().min(1).max(1024)).describe('How many bytes.'),
  encoding: encoding.optional().describe('hex without it.'),
})
export const RandomUuidParameters = fields({})

/** `crypto`: hashes, signatures, encodings and chance. */
export const cryptoModule = {
  text:
    'Hashes, signatures, encodings, chance. To check the signature of a request take `rawBody` with ' +
    '`inputEncoding: base64`, and compare by `equals`. In `key` and `expected` the value of a secret takes the place ' +
    'of its reference, and in nothing else: of `data` with a reference in it the text of the reference is taken.',
  functions: {
    hash: { text: 'The hash of a text.', parameters: HashParameters },
    sha256: { text: 'The same with this algorithm.', parameters: DigestParameters },
    sha512: { text: 'The same with this algorithm.', parameters: DigestParameters },
    md5: {
      text: 'The same with this algorithm, which proves nothing any more.',
      parameters: DigestParameters,
    },
    hmac: { text: 'The signature of a text with a key.', parameters: HmacParameters },
    equals: {
      text:
        'true where two texts are the same, false where not, in a time that tells nothing of either: for tokens and ' +
        'signatures that somebody has sent.',
      parameters: EqualsParameters,
    },
    base64Encode: { text: 'A text as base64.', parameters: Base64EncodeParameters },
    base64Decode: { text: 'What a base64 or base64url says.', parameters: Base64DecodeParameters },
    randomBytes: {
      text: 'Bytes that nobody can guess; the same when the run is done again.',
      parameters: RandomBytesParameters,
    },
    randomUUID: { text: 'A random id with dashes.', parameters: RandomUuidParameters },
  },
  example: {
    do: [
      {
        run: {
          module: 'crypto',
          function: 'hmac',
          parameters: { key: 'key', data: 'The quick brown fox jumps over the lazy dog', encoding: 'base64' },
          output: 'signature',
        },
      },
    ],
    output: '{{signature}}',
    gives: '97yD9DBThCSxMpjmqm+xQ+9NWaFJRhdZl0edvC0aPNg=',
  },
} as const satisfies ModuleDescription
