import { hashToken, newApiKey } from '@platform/auth'
import { apiKeysCreated, createApiKey as endpoint } from '@platform/contracts'
import { respond, route } from '@platform/http'
import { type Clock, uuidv7 } from '@platform/kernel'
import { type ApiKeyRecord, isAllPowerful, type Permissions } from '@platform/permissions'
import { actorOf } from '../changes/actor.ts'
import { admitGrant } from './admit-administrator.ts'
import { announced, apiKeyEtag, described, expiryOf, ORG_SLUG } from './api-key.ts'
import type { ApiKeyChangeStore } from './api-key-change-store.ts'

export const createApiKey = (deps: { apiKeys: ApiKeyChangeStore; permissions: Permissions; clock: Clock }) =>
  route(endpoint, {
    admit: ({ params, body, principal }) => admitGrant(deps, principal, params.workspaceId, body),
    async handle({ body, principal, request, admitted: { workspace, role, rules = [], now } }) {
      const actor = actorOf(principal, request)

      const apiKey = newApiKey(ORG_SLUG)
      const record: ApiKeyRecord = {
        id: uuidv7(),
        workspaceId: workspace.id,
        name: body.name,
        keyTail: apiKey.slice(-4),
        orgSlug: ORG_SLUG,
        rules,
        createdBy: principal.userId,
        // An owner's key stands on the membership, so that it outlives the end of the other power.
        createdAsSuperAdmin: isAllPowerful(principal) && role !== 'owner',
        disabled: false,
        expiresAt: expiryOf(body.expiresAt),
        createdAt: now,
        updatedAt: now,
        lastUsedAt: null,
      }
      await deps.apiKeys.commit(async (change) => {
        await change.insert(record, hashToken(apiKey))
        const payload = { ...announced(record), rules }
        await change.announce({
          contract: apiKeysCreated,
          payload,
          action: 'apiKey.created',
          key: record,
          actor,
        })
      })

      return respond(
        { apiKey, ...described(record) },
        {
          createdId: record.id,
          headers: { etag: apiKeyEtag(record) },
        },
      )
    },
  })
