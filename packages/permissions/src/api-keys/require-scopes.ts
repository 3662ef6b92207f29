import type { ApiKeyRuleInput, ResourceScope } from '@platform/contracts'
import { Failure } from '@platform/kernel'

const READING = new Set(['read', 'get_usage', 'aggregate_search', 'read_app_dsul'])
const CALLING = new Set(['execute', 'test'])

/** The scopes a JWT needs for the same as a rule allows; `manage` is everything. */
function scopesOfRight(action: string, subject: string): readonly ResourceScope[] {
  if (subject === 'automations') {
    if (CALLING.has(action)) return ['webhooks']
    if (action === 'manage') return ['workspaces:read', 'workspaces:write', 'webhooks']
  }
  const [read, write] = scopesOf(subject)
  if (action === 'manage') return [read, write]
  return [READING.has(action) ? read : write]
}

function scopesOf(subject: string): readonly [read: ResourceScope, write: ResourceScope] {
  if (subject === 'events') return ['events:read', 'events:write']
  if (subject === 'files') return ['files:read', 'files:write']
  if (subject === 'pages') return ['pages:read', 'workspaces:write']
  return ['workspaces:read', 'workspaces:write']
}

/** A key never has more than the credential that makes it: InsufficientScope for a rule that goes beyond its scopes. */
export function requireScopesFor(rules: readonly ApiKeyRuleInput[], scopes: readonly string[]): void {
  for (const { action, subject } of rules)
    for (const one of [action].flat())
      for (const scope of scopesOfRight(one, subject)) {
        if (scopes.includes(scope)) continue
        const lack = `because the token lacks the scope ${scope}`
        const message = `A key can’t get the right to ${one} ${subject} here, ${lack}.`
        throw new Failure('InsufficientScope', message, { details: { scope, action: one, subject } })
      }
}
