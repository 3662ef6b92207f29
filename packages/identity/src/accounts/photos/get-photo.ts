import { getPhoto as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { endingOf } from './image-type.ts'
import type { Photos } from './photos.ts'

/**
 * GET /v2/photos/:photoId — an id never gets other bytes, so browsers keep them for good; and nothing in them ever
 * runs.
 */
export const getPhoto = ({ photos }: { photos: Pick<Photos, 'find'> }) =>
  route(endpoint, {
    async handle({ params }) {
      const photo = await photos.find(params.photoId)
      if (photo === undefined) throw new Failure('ObjectNotFoundError', 'There is no such picture.')

      const headers = {
        etag: `"${params.photoId}"`,
        'cache-control': 'public, max-age=31536000, immutable',
        'content-disposition': `inline; filename="photo.${endingOf(photo.mediaType)}"`,
        'content-security-policy': "default-src 'none'; sandbox",
        'cross-origin-resource-policy': 'cross-origin',
      }
      return respond(photo.bytes, { contentType: photo.mediaType, headers })
    },
  })
