import type { Admission, KnownWorkspace, Principal, WorkspaceRole } from '@platform/auth'
import { Failure } from '@platform/kernel'
import { allows } from './ability.ts'
import type { ApiKeyRecord } from './api-keys/api-key.ts'
import { judgeKey, type KeyVerdict } from './api-keys/judge-key.ts'
import { type Action, type Permissions, type Subject, workspaceNotFound } from './permissions.ts'
import { everybody, isAllPowerful, memberIdOf, roleRules } from './rules.ts'
import { resourceIn } from './scope.ts'

/** Who wants to do what; `key` is the one alone or beside the user. */
interface Question {
  principal: Principal | undefined
  key: ApiKeyRecord | undefined
  action: Action
  subject: Subject
  workspace: KnownWorkspace
}

/** What the tables of permissions know of users. */
export interface Memberships {
  roleOf: RoleOf
  /** Whether a user is a member of a topic of the workspace, whichever. */
  isInTopic(userId: string, workspaceId: string): Promise<boolean>
}

/**
 * Asks the membership first, then the key, then what everybody may, then the topics: the first that allows admits.
 * Throws the refusal.
 */
export async function decide(question: Question, memberships: Memberships): Promise<Admission> {
  const { roleOf } = memberships
  const { principal, key, action, subject, workspace } = question
  if (isAllPowerful(principal)) return { workspace, role: undefined, by: 'power' }
  const asked = { action, subject, resource: resourceIn(workspace.id, subject) }
  const role = await roleIn(question, roleOf)
  if (roleAllows(role, asked)) return { workspace, role, by: 'role' }
  // A key says nothing about any workspace but its own.
  const verdict = key?.workspaceId === workspace.id ? await judge(key, roleOf, asked) : undefined
  if (verdict?.allowed) return { workspace, role, by: 'apiKey' }
  if (everybodyMay(principal, verdict, asked)) return { workspace, role, by: 'everybody' }
  if (role === undefined && (await isAudience(question, memberships)))
    return { workspace, role: undefined, by: 'topic' }
  throw refusal({ role, verdict, action, subject })
}

/** Whom an automation has put into a topic reads the events that are for them, guests of the workspace as well. */
async function isAudience(
  { principal, action, subject, workspace }: Question,
  { isInTopic }: Memberships,
): Promise<boolean> {
  if (action !== 'read' || subject !== 'events' || principal?.kind !== 'user') return false
  if (isLentElsewhere(principal, workspace)) return false
  return await isInTopic(principal.userId, workspace.id)
}

/**
 * A workspace may in itself what those may who write its automations. A user whom the run of another workspace acts for
 * is a member here only for the automations that are executed for them.
 */
async function roleIn(
  { principal, action, subject, workspace }: Question,
  roleOf: RoleOf,
): Promise<WorkspaceRole | undefined> {
  if (principal?.kind === 'workspace') return principal.workspaceId === workspace.id ? 'editor' : undefined
  const isExecution = action === 'execute' && subject === 'automations'
  if (isLentElsewhere(principal, workspace) && !isExecution) return undefined
  const userId = memberIdOf(principal)
  return userId === undefined ? undefined : await roleOf(userId, workspace.id)
}

/** The run of another workspace acts for the user. */
const isLentElsewhere = (principal: Principal | undefined, { id }: KnownWorkspace): boolean =>
  principal?.kind === 'user' && principal.lentTo !== undefined && principal.lentTo !== id

type Asked = Parameters<typeof judgeKey>[2]
type RoleOf = Permissions['roleOf']

const roleAllows = (role: WorkspaceRole | undefined, { action, subject, resource }: Asked): boolean =>
  role !== undefined && allows(roleRules(role), action, subject, resource)

async function judge(key: ApiKeyRecord, roleOf: RoleOf, asked: Asked): Promise<KeyVerdict> {
  const creatorRole = key.createdAsSuperAdmin ? undefined : await roleOf(key.createdBy, key.workspaceId)
  return judgeKey(key, creatorRole, asked)
}

/** In its own workspace a key alone has what it was given and nothing else. */
function everybodyMay(
  principal: Principal | undefined,
  verdict: KeyVerdict | undefined,
  { action, subject, resource }: Asked,
): boolean {
  if (principal?.kind === 'apiKey' && verdict !== undefined) return false
  return allows(everybody, action, subject, resource)
}

/** 404 for callers who may not even know the workspace; 403 for members and keys of it, with what refused them. */
function refusal(asked: {
  role: WorkspaceRole | undefined
  verdict: KeyVerdict | undefined
  action: Action
  subject: Subject
}): Failure {
  const { role, verdict, action, subject } = asked
  if (role !== undefined) {
    const message = `The role ${role} of this workspace does not allow to ${action} ${subject}: ask an owner.`
    return new Failure('ForbiddenError', message, { details: { action, subject, role } })
  }
  if (verdict === undefined) return workspaceNotFound()
  return new Failure('ForbiddenError', `${keySentences[verdict.cause](action, subject)} Ask an owner.`, {
    details: { action, subject },
  })
}

const keySentences: Readonly<Record<KeyVerdict['cause'], (action: Action, subject: Subject) => string>> = {
  granted: (action, subject) => `The API key may ${action} ${subject}.`,
  noRule: (action, subject) => `No rule of the API key allows to ${action} ${subject}.`,
  neverForKeys: (action) => `An API key may not ${action}, whatever its rules say.`,
  creatorMayNot: (action, subject) =>
    `The API key may not ${action} ${subject} any more, because its creator may not.`,
}
