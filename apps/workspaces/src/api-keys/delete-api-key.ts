import { apiKeysDeleted, deleteApiKey as endpoint } from '@platform/contracts'
import { requireMatch, route } from '@platform/http'
import type { OpenPermissions } from '@platform/permissions'
import { actorOf } from '../changes/actor.ts'
import { admitAdministrator } from './admit-administrator.ts'
import { announced, apiKeyEtag, masked } from './api-key.ts'
import type { ApiKeyChangeStore } from './api-key-change-store.ts'

export const deleteApiKey = (deps: { apiKeys: ApiKeyChangeStore; permissions: OpenPermissions }) =>
  route(endpoint, {
    async handle({ params, principal, request }) {
      const { workspace } = await admitAdministrator(deps.permissions, principal, params.workspaceId)
      const actor = actorOf(principal, request)

      const deleted = await deps.apiKeys.commit(async (change) => {
        const key = await change.lock(workspace.id, params.apiKey)
        requireMatch(request.headers, apiKeyEtag(key))
        await change.remove(key)
        const payload = announced(key)
        await change.announce({ contract: apiKeysDeleted, payload, action: 'apiKey.deleted', key, actor })
        return key
      })
      deps.permissions.forget()

      return { _id: deleted.id, apiKey: masked(deleted) }
    },
  })
