import { readConfig } from '@platform/config'
import { type Files, openFiles } from '@platform/files'
import type { IdentityBase, Part } from '../../identity-base.ts'
import type { UserStore } from '../../users/user-store.ts'
import { getPhoto } from './get-photo.ts'
import { type Photos, photos } from './photos.ts'
import { photosEnv } from './photos-env.ts'
import { setPhoto } from './set-photo.ts'

/** Pictures of people, for the composition root. Rejects when the directory of the files can't be made. */
export async function wirePhotos(
  needs: IdentityBase & { users: UserStore },
): Promise<Part & { photos: Photos; files: Files | undefined }> {
  const { filesUrl } = readConfig(photosEnv, needs.env)
  if (filesUrl === undefined) needs.log.warn('FILES_URL is not set: pictures of people are not taken')
  const files = filesUrl === undefined ? undefined : needs.opened.use(await openFiles(filesUrl))
  const kept = photos({ ...needs, files, photosUrl: `${needs.config.apiUrl}/photos` })
  const routes = [setPhoto({ ...needs, photos: kept }), getPhoto({ photos: kept })]
  return { photos: kept, files, routes, jobs: [] }
}
