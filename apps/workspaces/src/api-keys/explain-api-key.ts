import { explainApiKey as endpoint } from '@platform/contracts'
import { route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import { isUsable, judgeKey, type Permissions, resourceIn } from '@platform/permissions'
import { admitAdministrator } from './admit-administrator.ts'
import type { ApiKeyChangeStore } from './api-key-change-store.ts'
import { explanation, unknownWords } from './explanation.ts'

export const explainApiKey = (deps: { apiKeys: ApiKeyChangeStore; permissions: Permissions; clock: Clock }) =>
  route(endpoint, {
    async handle({ params, body, principal }) {
      const { workspace } = await admitAdministrator(deps.permissions, principal, params.workspaceId)
      const key = await deps.apiKeys.find(workspace.id, params.apiKey)

      const { action, subject } = body
      const resource = body.resource ?? resourceIn(workspace.id, subject)
      const creatorRole = await deps.permissions.roleOf(key.createdBy, key.workspaceId)
      const verdict = judgeKey(key, creatorRole, { action, subject, resource })
      const usable = isUsable(key, deps.clock.now())

      const unknown = unknownWords(action, subject)
      if (unknown !== undefined) return { allowed: false, rule: null, reason: unknown }
      const reason = explanation({ key, usable, verdict, creatorRole, action, subject })
      return { allowed: usable && verdict.allowed, rule: verdict.rule ?? null, reason }
    },
  })
