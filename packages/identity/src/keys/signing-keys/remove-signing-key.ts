import { removeSigningKey as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import { actorOf } from '../../audit/actor.ts'
import { type ChangeDeps, changeSigningKeys } from './change-signing-keys.ts'
import { type PreviewNeeds, previewRemoval } from './preview-signing-key-removal.ts'

/** Answers whom it has signed out, and the key that signs now. */
export const removeSigningKey = (deps: ChangeDeps & PreviewNeeds) =>
  route(endpoint, {
    async handle({ params, principal, request }) {
      const removal = await previewRemoval(deps, params.kid)
      const by = { actor: actorOf(principal), ip: request.clientIp, correlationId: request.correlationId }

      await changeSigningKeys(deps, { remove: params.kid, by })

      return { ...removal, successor: deps.keyRing.signing().kid }
    },
  })
