import { rotateSigningKey as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { actorOf } from '../../audit/actor.ts'
import { type ChangeDeps, changeSigningKeys } from './change-signing-keys.ts'
import { presentSigningKeys } from './list-signing-keys.ts'
import type { SessionsByKeyStore } from './sessions-by-key-store.ts'

export const rotateSigningKey = (deps: ChangeDeps & { sessionsByKey: SessionsByKeyStore }) =>
  route(endpoint, {
    async handle({ body, principal, request }) {
      const by = { actor: actorOf(principal), ip: request.clientIp, correlationId: request.correlationId }

      await changeSigningKeys(deps, { rotate: body?.immediately === true ? 'now' : 'ahead', by })

      return { keys: await presentSigningKeys(deps) }
    },
  })
