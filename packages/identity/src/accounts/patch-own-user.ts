import { patchOwnUser as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { presentUser } from '../users/user.ts'
import { stateOf, userEtag } from '../users/user-etag.ts'
import type { Profiles } from './profiles.ts'

export const patchOwnUser = ({ profiles }: { profiles: Pick<Profiles, 'edit'> }) =>
  route(endpoint, {
    async handle({ body, principal, request }) {
      const saved = await profiles.edit(principal.userId, body, stateOf(request.headers))

      const user = presentUser(saved)
      return respond(user, { headers: { etag: userEtag(user) } })
    },
  })
