import type { WorkspaceRole } from '@platform/auth'
import type { ApiKeyRuleInput } from '@platform/contracts'
import { rightActions as actions, rightSubjects as subjects } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { roleRules, rulesOf } from '../rules.ts'
import { grantRules } from './grant-rules.ts'
import { judgeKey } from './judge-key.ts'

type Role = WorkspaceRole | 'power' | undefined
const [home, foreign] = ['home', 'foreign']
const emit = 'topic:runtime:emit'

const known = { actions: actions as readonly string[], subjects: subjects as readonly string[] }
const strange = [
  'all',
  '__proto__',
  'constructor',
  'secrets',
  'platform',
  'users',
  '*',
  'MANAGE',
  'read ',
  '',
]
const listOf = (action: unknown): string[] => (Array.isArray(action) ? action : [action]) as string[]

/** What the platform's rules say about roles, written down a second time. */
function roleMay(role: Role, action: string, subject: string): boolean {
  if (role === 'power') return true
  if (role === 'owner') return known.subjects.includes(subject)
  if (role !== 'editor') return false
  if (subject === 'files') return true
  const table: Record<string, string[]> = {
    workspaces: ['read', 'update'],
    apps: ['read', 'update'],
    pages: ['read', 'update'],
    automations: ['create', 'read', 'update', 'delete', 'execute', 'test'],
    events: ['create', 'read'],
  }
  return table[subject]?.includes(action) ?? false
}

/** The reference: what must come of rule inputs, as an answer to one question. */
function mayBeMade(
  inputs: readonly ApiKeyRuleInput[],
  creator: Role,
): 'made' | 'InvalidSecurity' | 'ForbiddenError' {
  const words = inputs.flatMap(({ action, subject }) => listOf(action).map((one) => [one, subject] as const))
  const isKnown = ([action, subject]: readonly [string, string]) =>
    known.actions.includes(action) && known.subjects.includes(subject)
  if (!words.every(isKnown)) return 'InvalidSecurity'
  return words.every(([action, subject]) => roleMay(creator, action, subject)) ? 'made' : 'ForbiddenError'
}

interface Question {
  action: string
  subject: string
  workspace: string
  topic: string
}

function mayUse(inputs: readonly ApiKeyRuleInput[], creatorNow: Role, question: Question): boolean {
  const { action, subject, workspace, topic } = question
  if (workspace !== home || action === 'manage_security' || action === 'manage_permissions') return false
  const grants = ({ subject: on, action: what }: ApiKeyRuleInput) => {
    if (on !== subject) return false
    if (listOf(what).includes('manage')) return true
    if (!listOf(what).includes(action)) return false
    return subject !== 'events' || action !== 'create' || topic === emit
  }
  return inputs.some(grants) && roleMay(creatorNow, action, subject)
}

const resourceOf = ({ subject, workspace, topic }: Question) =>
  ({
    workspaces: { id: workspace },
    automations: { runningWorkspaceId: workspace },
    events: { source: { workspaceId: workspace, serviceTopic: topic } },
  })[subject] ?? { workspaceId: workspace }

const word = (words: readonly string[]) =>
  fc.oneof(
    { weight: 12, arbitrary: fc.constantFrom(...words) },
    { weight: 1, arbitrary: fc.constantFrom(...strange) },
  )
/** Everything a forger would add; none of it may count. */
const forgery = fc.record(
  {
    conditions: fc.constantFrom({}, { id: foreign }, { workspaceId: { $exists: true } }, { $or: [{}] }),
    inverted: fc.boolean(),
    fields: fc.constantFrom([], ['name'], ['*']),
    priority: fc.integer(),
    reason: fc.string(),
    role: fc.constantFrom('owner', 'superadmin'),
    subjectId: fc.constantFrom(foreign, 'all'),
    workspaceId: fc.constant(foreign),
    ['__proto__']: fc.constant({ subject: 'all' }),
  },
  { requiredKeys: [] },
)
const input = fc
  .tuple(
    fc.oneof(word(known.actions), fc.array(word(known.actions), { minLength: 1, maxLength: 4 })),
    word(known.subjects),
    forgery,
  )
  .map(([action, subject, extra]) => ({ ...extra, action, subject }) as ApiKeyRuleInput)
const inputs = fc.array(input, { minLength: 1, maxLength: 4 })
const role = fc.constantFrom<Role[]>('owner', 'editor', 'power', undefined)
const roleOnly = fc.constantFrom<(WorkspaceRole | undefined)[]>('owner', 'editor', undefined)

const questions: Question[] = [...known.actions, 'nosuchaction', '__proto__'].flatMap((action) =>
  [...known.subjects, 'all', 'secrets', 'constructor'].flatMap((subject) =>
    [home, foreign].flatMap((workspace) =>
      [emit, 'topic:other'].map((topic) => ({ action, subject, workspace, topic })),
    ),
  ),
)
const rulesHeldBy = (creator: Role) =>
  creator === 'power' ? rulesOf({ kind: 'internal' }, undefined) : roleRules(creator)

function outcome(asked: readonly ApiKeyRuleInput[], creator: Role) {
  try {
    return { made: grantRules(asked, home, rulesHeldBy(creator)) }
  } catch (error) {
    if (error instanceof Failure) return { refused: error.name }
    throw error
  }
}

describe('rule escalation', () => {
  it('a key is made, or refused, exactly as the reference says: 20,000 random rule inputs', () => {
    fc.assert(
      fc.property(inputs, role, (asked, creator) => {
        // What anybody may do counts for a creator without a role too; nobody without one gets here.
        fc.pre(creator !== undefined)
        const { made, refused } = outcome(asked, creator) as { made?: unknown; refused?: string }
        return (made === undefined ? refused : 'made') === mayBeMade(asked, creator)
      }),
      { numRuns: 20_000 },
    )
  })

  it('a key may exactly what its rules say, in its workspace only: 2,000 keys × 540 questions', () => {
    let allowed = 0
    fc.assert(
      fc.property(inputs, roleOnly, fc.boolean(), (asked, creatorRole, byPower) => {
        const { made } = outcome(asked, 'power')
        fc.pre(made !== undefined)
        const key = { rules: JSON.parse(JSON.stringify(made)), createdAsSuperAdmin: byPower }
        for (const question of questions) {
          const resource = resourceOf(question)
          const { allowed: may } = judgeKey(key, creatorRole, { ...question, resource })
          if (may) allowed += 1
          if (may !== mayUse(asked, byPower ? 'power' : creatorRole, question)) return false
        }
        return true
      }),
      { numRuns: 2000 },
    )
    expect(allowed).toBeGreaterThan(1000)
  })

  it('names the rule that decides, and why the others do not help', () => {
    const rules = grantRules(
      [
        { action: 'read', subject: 'workspaces' },
        { action: 'manage', subject: 'events' },
        { action: 'manage_security', subject: 'workspaces' },
      ],
      home,
      rulesHeldBy('owner'),
    )
    const key = { rules, createdAsSuperAdmin: false }
    const ask = (action: string, subject: string, creator: WorkspaceRole | undefined, id = home) =>
      judgeKey(key, creator, {
        action,
        subject,
        resource: resourceOf({ action, subject, workspace: id, topic: emit }),
      })
    expect(ask('read', 'workspaces', 'owner')).toEqual({ allowed: true, rule: rules[0], cause: 'granted' })
    expect(ask('delete', 'events', 'editor')).toEqual({
      allowed: false,
      rule: rules[1],
      cause: 'creatorMayNot',
    })
    expect(ask('read', 'workspaces', undefined)).toMatchObject({ allowed: false, cause: 'creatorMayNot' })
    expect(ask('read', 'workspaces', 'owner', foreign)).toMatchObject({ allowed: false, cause: 'noRule' })
    expect(ask('manage_security', 'workspaces', 'owner')).toMatchObject({
      allowed: false,
      cause: 'neverForKeys',
    })
  })

  it('looks at a thing whatever fields it has', () => {
    const rules = grantRules([{ action: 'read', subject: 'workspaces' }], home, rulesHeldBy('owner'))
    const key = { rules, createdAsSuperAdmin: false }
    const resource = { id: home, __caslSubjectType__: 'files', constructor: 1 }
    expect(judgeKey(key, 'owner', { action: 'read', subject: 'workspaces', resource }).allowed).toBe(true)
  })
})
