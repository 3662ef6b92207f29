import { interactiveUser } from '@platform/auth'
import { patchOwnUser as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { presentUser } from '../users/user.ts'
import type { Profiles } from './profiles.ts'

export const patchOwnUser = ({ profiles }: { profiles: Pick<Profiles, 'edit'> }) =>
  route(endpoint, {
    access: interactiveUser,
    async handle({ body, principal }) {
      const user = await profiles.edit(principal.userId, body)

      return presentUser(user)
    },
  })
