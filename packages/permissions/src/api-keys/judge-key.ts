import type { WorkspaceRole } from '@platform/auth'
import type { ApiKeyRule } from '@platform/contracts'
import { allows, decidingRule, type Resource } from '../ability.ts'

import { roleRules } from '../rules.ts'
import type { ApiKeyRecord } from './api-key.ts'

/** What decides about a key: its rules, what is refused to every key, and what its creator may now. */
export interface KeyVerdict {
  allowed: boolean
  /** The rule of the key that matches; undefined when none does. */
  rule: ApiKeyRule | undefined
  cause: 'granted' | 'noRule' | 'neverForKeys' | 'creatorMayNot'
}

/** What no key can do whatever its rules say: change the security of a workspace. */
const neverForKeys: ReadonlySet<string> = new Set(['manage_security', 'manage_permissions'])

type Judged = Pick<ApiKeyRecord, 'rules' | 'createdAsSuperAdmin'>

/**
 * Judges one question about a thing. A key never has more than its creator has now: `creatorRole` is the creator's
 * role in the workspace of the key, undefined when there is none any more.
 */
export function judgeKey(
  key: Judged,
  creatorRole: WorkspaceRole | undefined,
  question: { action: string; subject: string; resource: Resource },
): KeyVerdict {
  const { action, subject, resource } = question
  if (neverForKeys.has(action)) return { allowed: false, rule: undefined, cause: 'neverForKeys' }
  const rule = decidingRule(key.rules, action, subject, resource)?.origin as ApiKeyRule | undefined
  if (rule === undefined) return { allowed: false, rule, cause: 'noRule' }
  const held =
    key.createdAsSuperAdmin ||
    (creatorRole !== undefined && allows(roleRules(creatorRole), action, subject, resource))
  return held ? { allowed: true, rule, cause: 'granted' } : { allowed: false, rule, cause: 'creatorMayNot' }
}
