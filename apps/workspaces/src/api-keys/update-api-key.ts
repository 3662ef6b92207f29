import { apiKeysUpdated, updateApiKey as endpoint } from '@platform/contracts'
import { requireMatch, respond, route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { type OpenPermissions, requireScopesFor } from '@platform/permissions'
import { actorOf } from '../changes/actor.ts'
import { admitGrant } from './admit-administrator.ts'
import { announced, apiKeyEtag, changedApiKey, presentApiKey } from './api-key.ts'
import type { ApiKeyChangeStore } from './api-key-change-store.ts'

export const updateApiKey = (deps: {
  apiKeys: ApiKeyChangeStore
  permissions: OpenPermissions
  clock: Clock
}) =>
  route(endpoint, {
    async handle({ params, body, principal, request }) {
      const { workspace, rules, now } = await admitGrant(deps, principal, params.workspaceId, body)
      const actor = actorOf(principal, request)

      const saved = await deps.apiKeys.commit(async (change) => {
        const before = await change.lock(workspace.id, params.apiKey)
        requireMatch(request.headers, apiKeyEtag(before))
        // Making a key live longer or enabling it again grants its rights, as writing its rules does.
        if (body.disabled === false || body.expiresAt !== undefined)
          requireScopesFor(before.rules, principal.scopes)
        const key = changedApiKey(before, { ...body, rules }, now)
        await change.update(key)
        const payload = { ...announced(key), rules: key.rules }
        await change.announce({ contract: apiKeysUpdated, payload, action: 'apiKey.updated', key, actor })
        return key
      })
      deps.permissions.forget()

      return respond(presentApiKey(saved), { headers: { etag: apiKeyEtag(saved) } })
    },
  })
