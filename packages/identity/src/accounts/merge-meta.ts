import { mergeMeta as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { stateOf } from '../users/user-etag.ts'
import type { Profiles } from './profiles.ts'

export const mergeMeta = ({ profiles }: { profiles: Pick<Profiles, 'mergeMeta'> }) =>
  route(endpoint, {
    handle: ({ body, principal, request }) =>
      profiles.mergeMeta(principal.userId, body, stateOf(request.headers)),
  })
