import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleUser } from './example-values.ts'
import { User } from './users.ts'

/** Bytes of any kind. Not an `instanceof Buffer`: the contracts are loaded where there is no Node, too. */
export const Bytes = z.custom<Buffer>((value) => value instanceof Uint8Array)

/** The largest picture of a person, in bytes. */
export const PHOTO_BYTES = 4_000_000

export const setPhoto = endpoint({
  id: 'setPhoto',
  summary:
    'Sets the picture of the caller: one field `photo` of a multipart form with a PNG, JPEG, GIF or WebP of up ' +
    'to 4 MB.',
  service: 'api-gateway',
  credential: 'required',
  caller: 'account',
  interactive: true,
  method: 'post',
  path: '/v2/user/photo',
  bodyKind: 'bytes',
  body: Bytes,
  bodyLimitBytes: PHOTO_BYTES + 10_000,
  response: User,
  limits: ['upload'],
  failures: [
    'RequestValidationError',
    'AuthenticationError',
    'ForbiddenError',
    'InvalidFile',
    'PayloadTooLarge',
    'UnsupportedMediaType',
    'TooManyRequests',
  ],
  bodyMediaTypes: ['multipart/form-data'],
  example: { response: { ...exampleUser, photo: 'https://api.example.com/v2/photos/p7Qk2mX9' } },
})

export const getPhoto = endpoint({
  id: 'getPhoto',
  summary:
    'A picture of a person, by an address that can’t be guessed; served so that no browser runs anything of it.',
  service: 'api-gateway',
  credential: 'none',
  thirdParty: true,
  method: 'get',
  path: '/v2/photos/:photoId',
  response: Bytes,
  etag: true,
  failures: ['ObjectNotFoundError'],
  mediaTypes: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'],
})
