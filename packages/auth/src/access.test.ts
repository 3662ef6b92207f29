import type { AccessRule } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import { describe, expect, test } from 'vitest'
import { admit, hasScope, type Principal, principalKind, type UserPrincipal } from './index.ts'

const user = (options: Partial<UserPrincipal> = {}): UserPrincipal => ({
  kind: 'user',
  userId: 'ada',
  sessionId: 's-1',
  via: 'jwt',
  anonymous: false,
  superAdmin: false,
  scopes: [],
  clientId: undefined,
  email: undefined,
  apiKeyId: undefined,
  ...options,
})

const callers = {
  nobody: undefined,
  anonymous: user({ anonymous: true }),
  account: user(),
  accessToken: user({ via: 'accessToken', sessionId: 'at:1' }),
  program: user({ userId: 'client-1', clientId: 'client-1' }),
  administrator: user({ superAdmin: true }),
  administratorToken: user({ superAdmin: true, via: 'accessToken' }),
  userWithKey: user({ apiKeyId: 'k-1' }),
  apiKey: { kind: 'apiKey', apiKeyId: 'k-1' },
  internal: { kind: 'internal' },
} satisfies Record<string, Principal | undefined>

type Caller = keyof typeof callers
const rules: Record<string, AccessRule> = {
  anyone: { credential: 'optional' },
  authenticated: { credential: 'required' },
  signedIn: { credential: 'required', caller: 'user' },
  accountHolder: { credential: 'required', caller: 'account' },
  interactiveUser: { credential: 'required', caller: 'account', interactive: true },
  sessionHolder: { credential: 'required', caller: 'person', interactive: true },
  superAdmin: { credential: 'required', caller: 'superAdmin' },
  internalKeyHolder: { credential: 'internal' },
}

/** Who is let in by which rule; 401 where a credential is missing, 403 where it is the wrong one. */
const table: Record<Caller, Record<keyof typeof rules, 'in' | 401 | 403>> = {
  nobody: {
    anyone: 'in',
    authenticated: 401,
    signedIn: 401,
    accountHolder: 401,
    interactiveUser: 401,
    sessionHolder: 401,
    superAdmin: 401,
    internalKeyHolder: 401,
  },
  anonymous: {
    anyone: 'in',
    authenticated: 'in',
    signedIn: 'in',
    accountHolder: 403,
    interactiveUser: 403,
    sessionHolder: 'in',
    superAdmin: 403,
    internalKeyHolder: 403,
  },
  account: {
    anyone: 'in',
    authenticated: 'in',
    signedIn: 'in',
    accountHolder: 'in',
    interactiveUser: 'in',
    sessionHolder: 'in',
    superAdmin: 403,
    internalKeyHolder: 403,
  },
  accessToken: {
    anyone: 'in',
    authenticated: 'in',
    signedIn: 'in',
    accountHolder: 'in',
    interactiveUser: 403,
    sessionHolder: 403,
    superAdmin: 403,
    internalKeyHolder: 403,
  },
  program: {
    anyone: 'in',
    authenticated: 'in',
    signedIn: 'in',
    accountHolder: 403,
    interactiveUser: 403,
    sessionHolder: 403,
    superAdmin: 403,
    internalKeyHolder: 403,
  },
  administrator: {
    anyone: 'in',
    authenticated: 'in',
    signedIn: 'in',
    accountHolder: 'in',
    interactiveUser: 'in',
    sessionHolder: 'in',
    superAdmin: 'in',
    internalKeyHolder: 403,
  },
  administratorToken: {
    anyone: 'in',
    authenticated: 'in',
    signedIn: 'in',
    accountHolder: 'in',
    interactiveUser: 403,
    sessionHolder: 403,
    superAdmin: 'in',
    internalKeyHolder: 403,
  },
  userWithKey: {
    anyone: 'in',
    authenticated: 'in',
    signedIn: 'in',
    accountHolder: 'in',
    interactiveUser: 'in',
    sessionHolder: 'in',
    superAdmin: 403,
    internalKeyHolder: 403,
  },
  apiKey: {
    anyone: 'in',
    authenticated: 'in',
    signedIn: 403,
    accountHolder: 403,
    interactiveUser: 403,
    sessionHolder: 403,
    superAdmin: 403,
    internalKeyHolder: 403,
  },
  internal: {
    anyone: 'in',
    authenticated: 'in',
    signedIn: 403,
    accountHolder: 403,
    interactiveUser: 403,
    sessionHolder: 403,
    superAdmin: 'in',
    internalKeyHolder: 'in',
  },
}

describe('access rules', () => {
  const cases = Object.entries(table).flatMap(([caller, row]) =>
    Object.entries(row).map(([rule, outcome]) => [caller as Caller, rule, outcome] as const),
  )

  test.each(cases)('%s under %s: %s', (caller, rule, outcome) => {
    const principal = callers[caller]
    const access = rules[rule] ?? { credential: 'internal' }
    if (outcome === 'in') expect(admit(access, principal)).toBe(principal)
    else
      expect(() => admit(access, principal)).toThrow(
        expect.objectContaining({ status: outcome, message: expect.stringMatching(/\.$/) }),
      )
  })

  test('refuse with a Failure, which callers may see', () => {
    expect(() => admit({ credential: 'required' }, undefined)).toThrow(Failure)
  })
})

describe('the token of an application', () => {
  const reader = user({ scopes: ['events:read'], clientId: 'client-1' })
  const foreign = { ...reader, thirdParty: true }
  const refusal = (rule: AccessRule, principal: Principal) => {
    try {
      return admit(rule, principal) === principal ? 'in' : 'somebody else'
    } catch (error) {
      return error instanceof Failure ? error.name : error
    }
  }

  test('needs the scope of the contract', () => {
    expect(refusal({ credential: 'required', scope: 'events:read' }, reader)).toBe('in')
    expect(refusal({ credential: 'required', scope: 'events:write' }, reader)).toBe('InsufficientScope')
  })

  test('of somebody else may do what a scope stands for or a contract says, and nothing more', () => {
    const required = { credential: 'required' } as const
    expect(refusal({ ...required, scope: 'events:read' }, foreign)).toBe('in')
    expect(refusal({ ...required, thirdParty: true }, foreign)).toBe('in')
    for (const rule of [
      required,
      { credential: 'none' },
      { ...required, scope: 'events:read', interactive: true },
    ])
      expect(refusal(rule as AccessRule, foreign)).toBe('InsufficientScope')
    expect(refusal({ ...required, scope: 'events:read', thirdParty: false }, foreign)).toBe(
      'InsufficientScope',
    )
    expect(refusal(required, reader)).toBe('in')
  })
})

describe('a principal', () => {
  test('has the scopes of its credential; keys and the platform are not bound to scopes', () => {
    expect(hasScope(user({ scopes: ['events:read'] }), 'events:read')).toBe(true)
    expect(hasScope(user({ scopes: ['events:read'] }), 'events:write')).toBe(false)
    expect(hasScope(callers.apiKey, 'events:write')).toBe(true)
    expect(hasScope(callers.internal, 'events:write')).toBe(true)
  })

  test('is counted by its kind', () => {
    const kinds = Object.fromEntries(
      Object.entries(callers).map(([name, caller]) => [name, principalKind(caller)]),
    )
    expect(kinds).toEqual({
      nobody: 'nobody',
      anonymous: 'anonymous',
      account: 'jwt',
      accessToken: 'accessToken',
      administrator: 'jwt',
      administratorToken: 'accessToken',
      program: 'jwt',
      userWithKey: 'jwt',
      apiKey: 'apiKey',
      internal: 'internal',
    })
  })
})
