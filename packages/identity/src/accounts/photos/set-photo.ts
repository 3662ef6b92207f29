import { setPhoto as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { presentUser } from '../../users/user.ts'
import { imageTypeOf } from './image-type.ts'
import type { Photos } from './photos.ts'
import { readPhoto } from './read-photo.ts'

interface Needs {
  photos: Pick<Photos, 'set'>
}

/** POST /v2/user/photo — what a picture is, its bytes say; what is none of the four kinds is refused. */
export const setPhoto = ({ photos }: Needs) =>
  route(endpoint, {
    async handle({ body, principal, request }) {
      const bytes = await readPhoto(body, request.headers['content-type'])
      const mediaType = imageTypeOf(bytes)
      if (mediaType === undefined)
        throw new Failure(
          'InvalidFile',
          'The file is no picture that is taken here: send PNG, JPEG, GIF or WebP.',
        )

      const user = await photos.set(principal.userId, { bytes, mediaType })

      return presentUser(user)
    },
  })
