import type { IdentityBase, Part } from '../../identity-base.ts'
import type { MintJwt } from '../../keys/mint-jwt.ts'
import type { KeyRing } from '../../keys/signing-keys/key-ring.ts'
import { presentUser } from '../../users/user.ts'
import type { UserStore } from '../../users/user-store.ts'
import type { SessionStore } from '../session-store.ts'
import type { Sessions } from '../sessions.ts'
import { anonymousRoom } from './anonymous-room.ts'
import { createAnonymousSession } from './create-anonymous-session.ts'
import { crowdedSiteStore } from './crowded-site-store.ts'

interface Needs extends Pick<IdentityBase, 'config' | 'clock' | 'cookies' | 'database'> {
  users: Pick<UserStore, 'insertAnonymous'>
  sessions: Sessions
  records: Pick<SessionStore, 'countAnonymous'>
  /** Tells every instance what has ended. */
  broadcast: (ids: string[]) => Promise<void>
  keyRing: KeyRing
  mintJwt: MintJwt
}

/** Starting without an account, for the composition root. */
export function wireAnonymousSessions({
  config,
  users,
  records,
  database,
  broadcast,
  ...needs
}: Needs): Part {
  const { clock } = needs
  const crowded = crowdedSiteStore(database)
  const create = createAnonymousSession({
    ...needs,
    insertUser: async (times) => presentUser(await users.insertAnonymous(times)),
    room: anonymousRoom({
      count: records.countAnonymous,
      async makeRoom(wanted) {
        const made = await crowded.makeRoom(wanted)
        await broadcast(made.sessionIds)
        return made
      },
      max: config.anonymousSessionsMax,
      clock,
    }),
    clientId: config.studioClientId,
  })
  return { routes: [create], jobs: [] }
}
