import { createHash } from 'node:crypto'
import { randomBase62 } from '@platform/kernel'

/** About 166 bits: nobody finds a picture without its address. */
const SECRET_LENGTH = 28
const SHAPE = /^[0-9A-Za-z]{28}-[0-9a-f]{16}$/

/**
 * The id of a new picture. Its second part ties it to the owner without naming them: people may put any address into
 * their profile, and one who puts in somebody else's picture must not have it deleted with their own next one.
 */
export function newPhotoId(userId: string): string {
  const secret = randomBase62(SECRET_LENGTH)
  return `${secret}-${tagOf(userId, secret)}`
}

/** The key of a picture among the files; undefined for what can be no id. */
export const photoKey = (photoId: string): string | undefined =>
  SHAPE.test(photoId) ? `photos/${photoId}` : undefined

/** The id of the picture in a profile when it is one of ours and belongs to the user. */
export function ownPhotoId(userId: string, url: string | undefined, photosUrl: string): string | undefined {
  if (url === undefined || !url.startsWith(`${photosUrl}/`)) return undefined
  const id = url.slice(photosUrl.length + 1)
  const [secret = '', tag] = id.split('-')
  return SHAPE.test(id) && tag === tagOf(userId, secret) ? id : undefined
}

const tagOf = (userId: string, secret: string): string =>
  createHash('sha256').update(`${userId}:${secret}`).digest('hex').slice(0, 16)
