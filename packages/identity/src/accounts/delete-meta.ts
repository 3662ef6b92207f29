import { deleteMeta as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { Failure } from '@platform/kernel'
import { stateOf } from '../users/user-etag.ts'
import type { Profiles } from './profiles.ts'

export const deleteMeta = ({ profiles }: { profiles: Pick<Profiles, 'deleteMeta'> }) =>
  route(endpoint, {
    async handle({ params, principal, request }) {
      const left = await profiles.deleteMeta(principal.userId, params.key, stateOf(request.headers))
      if (left === undefined)
        throw new Failure('ObjectNotFoundError', 'The meta of your account has no such key.')

      return left
    },
  })
