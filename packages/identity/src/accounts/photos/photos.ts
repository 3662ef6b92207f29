import type { Queries } from '@platform/database'
import type { Files } from '@platform/files'
import { Failure } from '@platform/kernel'
import type { Logger } from '@platform/logging'
import type { UserRecord } from '../../users/user.ts'
import type { UserEdit } from '../../users/user-changes-store.ts'
import { type ImageType, isImageType } from './image-type.ts'
import { newPhotoId, ownPhotoId, photoKey } from './photo-id.ts'

/** Pictures of people. */
export interface Photos {
  /** Puts a picture into a profile; the one before is gone. Rejects with AuthenticationError when the account is. */
  set(userId: string, photo: { bytes: Buffer; mediaType: ImageType }): Promise<UserRecord>
  find(photoId: string): Promise<{ bytes: Buffer; mediaType: ImageType } | undefined>
  /** Deletes the picture of a profile that is no more. Never fails: what is left is found by nobody. */
  forget(user: Pick<UserRecord, 'id' | 'photo'>): Promise<void>
}

interface Needs {
  /** Undefined where no place for files is configured. */
  files: Files | undefined
  database: { transaction<T>(work: (tx: Queries) => Promise<T>): Promise<T> }
  users: {
    changes(tx: Queries): {
      lock(by: { ids: readonly string[] }): Promise<UserRecord[]>
      edit(ids: readonly string[], edit: UserEdit): Promise<UserRecord[] | 'taken'>
    }
  }
  /** Address that pictures are below. */
  photosUrl: string
  log: Logger
}

export function photos({ files, database, users, photosUrl, log }: Needs): Photos {
  const forget = async (userId: string, url: string | undefined) => {
    const key = photoKey(ownPhotoId(userId, url, photosUrl) ?? '')
    if (key === undefined) return
    await files
      ?.delete(key)
      .catch((error: unknown) => log.warn({ err: error, key }, 'a picture was left behind'))
  }
  /** Locked, so that of two pictures sent at once the loser is known to the winner. */
  const replace = (userId: string, url: string) =>
    database.transaction(async (tx) => {
      const changes = users.changes(tx)
      const [before] = await changes.lock({ ids: [userId] })
      if (before === undefined) throw gone()
      const edited = await changes.edit([userId], { photo: url })
      return { before: before.photo, user: edited === 'taken' ? before : (edited[0] ?? before) }
    })

  return {
    async set(userId, photo) {
      if (files === undefined) throw noStorage()
      const id = newPhotoId(userId)
      const url = `${photosUrl}/${id}`
      await files.put(`photos/${id}`, photo)
      try {
        const { before, user } = await replace(userId, url)
        await forget(userId, before)
        return user
      } catch (error) {
        // A store that fell silent may have kept the change: better a file nobody finds than a profile without its
        // picture.
        if (error instanceof Failure) await forget(userId, url)
        throw error
      }
    },

    async find(photoId) {
      const key = photoKey(photoId)
      const file = key === undefined ? undefined : await files?.get(key)
      if (file === undefined || !isImageType(file.mediaType)) return undefined
      return { bytes: file.bytes, mediaType: file.mediaType }
    },

    forget: ({ id, photo }) => forget(id, photo),
  }
}

const gone = (): Failure =>
  new Failure('AuthenticationError', 'The account of this session is gone: sign in again.')

const noStorage = (): Failure =>
  new Failure('ServiceUnavailable', 'This platform keeps no pictures yet: its operator has to set FILES_URL.')
