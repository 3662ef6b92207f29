import type { Principal, UserPrincipal, WorkspaceRole } from '@platform/auth'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { abilityOf } from './ability.ts'
import type { Action, Subject } from './permissions.ts'
import { memberIdOf, rulesOf } from './rules.ts'

const actions: Action[] = ['create', 'read', 'update', 'delete', 'execute', 'test', 'manage']
const subjects: Subject[] = ['workspaces', 'automations', 'events', 'files', 'pages', 'apps']

const user = (options: Partial<UserPrincipal> = {}): UserPrincipal => ({
  kind: 'user',
  userId: 'ada',
  sessionId: 'session',
  via: 'jwt',
  anonymous: false,
  superAdmin: false,
  scopes: [],
  clientId: undefined,
  email: undefined,
  apiKeyId: undefined,
  ...options,
})

const can = (
  principal: Principal | undefined,
  role: WorkspaceRole | undefined,
  action: Action,
  subject: Subject,
) => abilityOf(rulesOf(principal, role)).can(action, subject)

const anyAction = fc.constantFrom(...actions)
const anySubject = fc.constantFrom(...subjects)
const anyRole = fc.constantFrom<(WorkspaceRole | undefined)[]>('owner', 'editor', undefined)
const anyUser = fc
  .record({
    userId: fc.string({ minLength: 1 }),
    anonymous: fc.boolean(),
    via: fc.constantFrom('jwt' as const, 'accessToken' as const),
  })
  .map((options) => user(options))
const anybody = fc.oneof(
  anyUser,
  fc.constant(undefined),
  fc.constant<Principal>({ kind: 'apiKey', apiKeyId: 'key' }),
)

describe('the rules of a workspace', () => {
  it.each<[WorkspaceRole | 'nobody', Subject, Action[]]>([
    ['owner', 'workspaces', actions],
    ['owner', 'automations', actions],
    ['owner', 'events', actions],
    ['owner', 'files', actions],
    ['owner', 'pages', actions],
    ['owner', 'apps', actions],
    ['editor', 'workspaces', ['read', 'update']],
    ['editor', 'automations', ['create', 'read', 'update', 'delete', 'execute', 'test']],
    ['editor', 'events', ['create', 'read']],
    ['editor', 'files', actions],
    ['editor', 'pages', ['read', 'update']],
    ['editor', 'apps', ['read', 'update']],
    ['nobody', 'workspaces', []],
    ['nobody', 'automations', ['execute']],
    ['nobody', 'events', []],
    ['nobody', 'files', []],
    ['nobody', 'pages', []],
    ['nobody', 'apps', []],
  ])('let %s do with %s exactly %j', (role, subject, allowed) => {
    const given = role === 'nobody' ? undefined : role
    expect(actions.filter((action) => can(user(), given, action, subject))).toEqual(allowed)
  })

  it('let super administrators and the platform do everything', () => {
    const powers: Principal[] = [user({ superAdmin: true }), { kind: 'internal' }]
    fc.assert(
      fc.property(
        fc.constantFrom(...powers),
        anyRole,
        anyAction,
        anySubject,
        (principal, role, action, subject) => can(principal, role, action, subject),
      ),
    )
  })

  it('never give an editor more than an owner, nor a stranger more than an editor', () => {
    fc.assert(
      fc.property(anybody, anyAction, anySubject, (principal, action, subject) => {
        const [owner, editor, stranger] = (['owner', 'editor', undefined] as const).map((role) =>
          can(principal, role, action, subject),
        )
        return (!editor || owner === true) && (!stranger || editor === true)
      }),
    )
  })

  it('allow a stranger nothing but to execute automations, whoever it is', () => {
    fc.assert(
      fc.property(anybody, anyAction, anySubject, (principal, action, subject) => {
        const isPublic = action === 'execute' && subject === 'automations'
        return can(principal, undefined, action, subject) === isPublic
      }),
    )
  })

  it('count memberships of accounts only, not of anonymous sessions, keys or nobody', () => {
    expect(memberIdOf(user())).toBe('ada')
    expect(memberIdOf(user({ anonymous: true }))).toBeUndefined()
    expect(memberIdOf({ kind: 'apiKey', apiKeyId: 'key' })).toBeUndefined()
    expect(memberIdOf(undefined)).toBeUndefined()
  })

  it('deny an action nobody has heard of', () => {
    fc.assert(
      fc.property(anyUser, anyRole, fc.string(), anySubject, (principal, role, word, subject) => {
        const manages = role === 'owner' || (role === 'editor' && subject === 'files')
        fc.pre(!actions.includes(word as Action) && !manages)
        return !can(principal, role, word as Action, subject)
      }),
    )
  })
})
