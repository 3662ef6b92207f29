import { explainApiKey as endpoint, rightActions, rightSubjects } from '@platform/contracts'
import { route } from '@platform/http'
import type { Clock } from '@platform/kernel'
import {
  type ApiKeyRecord,
  isUsable,
  judgeKey,
  type KeyVerdict,
  type Permissions,
  resourceIn,
  type WorkspaceRole,
} from '@platform/permissions'
import { admitAdministrator } from './admit-administrator.ts'
import type { ApiKeyChangeStore } from './api-key-change-store.ts'

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

interface Judged {
  key: ApiKeyRecord
  /** False when the key is disabled or expired. */
  usable: boolean
  verdict: KeyVerdict
  creatorRole: WorkspaceRole | undefined
  action: string
  subject: string
}

const isAmong = (words: readonly string[], word: string): boolean => words.includes(word)

/** What is wrong with the question itself; undefined when both words are known. */
function unknownWords(action: string, subject: string): string | undefined {
  const problems: string[] = []
  if (!isAmong(rightActions, action))
    problems.push(`there is no action ${JSON.stringify(action)}, only ${rightActions.join(', ')}`)
  if (!isAmong(rightSubjects, subject))
    problems.push(`there is no subject ${JSON.stringify(subject)}, only ${rightSubjects.join(', ')}`)
  return problems.length === 0 ? undefined : `Denied: ${problems.join('; and ')}.`
}

/** One sentence: why a key may do something or not, and what to change. */
function explanation(judged: Judged): string {
  const { key, usable, verdict } = judged
  if (key.disabled) return 'Denied: the key is disabled.'
  if (!usable) return `Denied: the key expired at ${key.expiresAt?.toISOString()}.`
  return sentences[verdict.cause](judged)
}

const sentences: Readonly<Record<KeyVerdict['cause'], (judged: Judged) => string>> = {
  granted: ({ verdict, key }) =>
    `Allowed by rule ${placeOf(verdict, key)} of the key, which its creator holds too.`,
  noRule: ({ action, subject }) =>
    `Denied: no rule of the key allows to ${action} this of ${subject}; add one that does.`,
  neverForKeys: ({ action }) => `Denied: no API key may ${action}, whatever its rules say.`,
  creatorMayNot: ({ verdict, key, creatorRole, action, subject }) =>
    `Denied: rule ${placeOf(verdict, key)} matches, but the creator of the key ${standing(creatorRole)} ` +
    `and may not ${action} ${subject}; make the key anew as an owner.`,
}

/** Counted from 1, as a person does. */
const placeOf = ({ rule }: KeyVerdict, { rules }: ApiKeyRecord): number =>
  rule === undefined ? 0 : rules.indexOf(rule) + 1

const standing = (role: WorkspaceRole | undefined): string =>
  role === undefined ? 'is no member of the workspace any more' : `is only ${role} now`
