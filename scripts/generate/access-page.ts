import type { AccessRule, Endpoint } from '@platform/contracts'
import { roleRules } from '../../packages/permissions/src/rules.ts'

/** `docs/access.md`: who may call each operation, as its contract says it. */
export function accessPage(endpoints: readonly Endpoint[]): string {
  const services = Map.groupBy(endpoints, ({ service }) => service)
  const tables = [...services].map(
    ([service, members]) =>
      `## ${service}\n\n| Operation | Address | Caller | Scope | May | Beside that ` +
      `|\n|---|---|---|---|---|---|\n${members.map(rowOf).join('\n')}`,
  )
  return `${[introduction, roles(), ...tables].join('\n\n')}\n`
}

const introduction = `# Who may call what

Generated from packages/contracts. The contract of an operation says whom it admits; \`admit\` of
packages/auth/src/access.ts decides it before anything else of a request is read, in the gateway for its own operations
and in the service for those that are forwarded. Access tokens and applications of others are refused before that, in
apps/api-gateway/src/admission/admit-tokens.ts and \`requireCaller\` of pipeline.ts, where everything below a path is
for people. What the caller may do in the workspace of the path (column *May*) is asked by \`runRoute\` of packages/http
and decided in packages/permissions/src/decide.ts: 404 for strangers, 403 for members and keys. Who is in no
role, but in a topic that an automation has made, may read the events that are for them. What the roles owner and
editor may is below, from rules.ts there; what a key may is in api-keys/judge-key.ts. An operation with an empty *May*
can decide more: its file says so.

- **anyone**: with or without a credential; one that is bad is 401 everywhere.
- **any credential**: a user, an API key, or the internal key of the platform.
- **user**: guests and clients that act for themselves too. **person**: guests too. **account**: who has an account.
- **super administrator**: or the internal key. **internal key**: the platform itself and its operators.
- *no access token*: people act themselves. *other applications*: those that are not the platform's
  own may call it for their users; without this word they may where a scope stands, unless people act themselves.`

/** What each role may in its workspace, one column for each kind of thing. */
function roles(): string {
  const rights = (['owner', 'editor'] as const).map((role) => [role, rightsOf(role)] as const)
  const subjects = [...new Set(rights.flatMap(([, found]) => [...found.keys()]))]
  const rows = rights.map(
    ([role, found]) => `| ${role} | ${subjects.map((subject) => found.get(subject) ?? '').join(' | ')} |`,
  )
  const head = `| Role | ${subjects.join(' | ')} |\n|${'---|'.repeat(subjects.length + 1)}`
  return `## Roles\n\n${[head, ...rows].join('\n')}`
}

function rightsOf(role: 'owner' | 'editor'): Map<string, string> {
  const found = new Map<string, Set<string>>()
  for (const { action, subject } of roleRules(role))
    for (const one of [subject].flat())
      found.set(one, new Set([...(found.get(one) ?? []), ...[action].flat()]))
  const words = (actions: Set<string>) => (actions.has('manage') ? 'everything' : [...actions].join(', '))
  return new Map([...found].map(([subject, actions]) => [subject, words(actions)]))
}

function rowOf(endpoint: Endpoint): string {
  const { id, method, path, scope, permission } = endpoint
  const may = permission === undefined ? '' : `${permission.action} ${permission.on}`
  const cells = [
    id,
    `\`${method.toUpperCase()} ${path}\``,
    callerOf(endpoint),
    scope ?? '',
    may,
    wordsOf(endpoint),
  ]
  return `| ${cells.join(' | ')} |`
}

const callers: Readonly<Record<NonNullable<AccessRule['caller']>, string>> = {
  any: 'any credential',
  user: 'user',
  person: 'person',
  account: 'account',
  superAdmin: 'super administrator',
}

function callerOf({ credential, caller = 'any' }: AccessRule): string {
  if (credential === 'internal') return 'internal key'
  return credential === 'required' ? callers[caller] : 'anyone'
}

function wordsOf({ interactive, thirdParty, receiver, shedExempt }: AccessRule): string {
  const words = [
    interactive === true ? 'no access token' : '',
    thirdParty === true ? 'other applications' : thirdParty === false ? 'no other applications' : '',
    receiver === true ? 'no cookie of other sites' : '',
    shedExempt === true ? 'under any load' : '',
  ]
  return words.filter((word) => word !== '').join(', ')
}
