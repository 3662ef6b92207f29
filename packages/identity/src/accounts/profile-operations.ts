import {
  deleteMeta as deleteMetaContract,
  mergeMeta as mergeMetaContract,
  patchOwnUser as patchOwnUserContract,
} from '@platform/contracts'
import { respond, route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { presentUser } from '../users/user.ts'
import { stateOf, userEtag } from '../users/user-etag.ts'
import type { Profiles } from './profiles.ts'

export const patchOwnUser = ({ profiles }: { profiles: Pick<Profiles, 'edit'> }) =>
  route(patchOwnUserContract, {
    async handle({ body, principal, request }) {
      const saved = await profiles.edit(principal.userId, body, stateOf(request.headers))

      const user = presentUser(saved)
      return respond(user, { headers: { etag: userEtag(user) } })
    },
  })

export const mergeMeta = ({ profiles }: { profiles: Pick<Profiles, 'mergeMeta'> }) =>
  route(mergeMetaContract, {
    handle: ({ body, principal, request }) =>
      profiles.mergeMeta(principal.userId, body, stateOf(request.headers)),
  })

export const deleteMeta = ({ profiles }: { profiles: Pick<Profiles, 'deleteMeta'> }) =>
  route(deleteMetaContract, {
    async handle({ params, principal, request }) {
      const left = await profiles.deleteMeta(principal.userId, params.key, stateOf(request.headers))
      if (left === undefined)
        throw new Failure('ObjectNotFoundError', 'The meta of your account has no such key.')

      return left
    },
  })
