import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ApiKeyRule, ApiKeyRuleInput } from '@platform/contracts'
import { describe, expect, it } from 'vitest'
import { roleRules, rulesOf } from '../rules.ts'
import { grantRules } from './grant-rules.ts'

const folder =
  process.env.CONFORMANCE_DIR ?? fileURLToPath(new URL('../../../../../shared/conformance', import.meta.url))
const file = `${folder}/api-key-rules.json`
const isThere = existsSync(file)
if (!isThere) console.warn(`SKIPPED: no vectors at ${file}; set CONFORMANCE_DIR to run them.`)

interface Vector {
  input: ApiKeyRuleInput
  workspaceId: string
  expected: { rules: ApiKeyRule[] } | { rejected: string }
}
const vectors: Vector[] = isThere ? JSON.parse(readFileSync(file, 'utf8')).vectors : []

const everything = rulesOf({ kind: 'internal' }, undefined)
const owner = roleRules('owner')

describe.runIf(isThere)('the conformance vectors of API key rules', () => {
  it.each(vectors.map((vector) => ({ name: JSON.stringify(vector.input), ...vector })))(
    '$name',
    ({ input, workspaceId, expected }) => {
      const grant = () => grantRules([input], workspaceId, everything)
      if ('rules' in expected) return expect(grant()).toEqual(expected.rules)
      expect(grant).toThrow(
        expect.objectContaining({
          name: 'InvalidSecurity',
          status: 400,
          message: expect.stringContaining(expected.rejected),
        }),
      )
    },
  )
})

describe('granting rules to a key', () => {
  it('keeps several actions in one rule, once each, and emitting in a rule of its own', () => {
    expect(grantRules([{ action: ['read', 'update', 'read'], subject: 'workspaces' }], 'w', owner)).toEqual([
      { action: ['read', 'update'], subject: 'workspaces', conditions: { id: 'w' } },
    ])
    expect(grantRules([{ action: ['read', 'create'], subject: 'events' }], 'w', owner)).toEqual([
      {
        action: ['create'],
        subject: 'events',
        conditions: { 'source.workspaceId': 'w', 'source.serviceTopic': 'topic:runtime:emit' },
      },
      { action: ['read'], subject: 'events', conditions: { 'source.workspaceId': 'w' } },
    ])
  })

  it('refuses a right the creator does not hold, and names it', () => {
    const grant = () =>
      grantRules([{ action: ['read', 'delete'], subject: 'workspaces' }], 'w', roleRules('editor'))
    expect(grant).toThrow(
      expect.objectContaining({
        name: 'ForbiddenError',
        message: expect.stringContaining('delete workspaces'),
        details: { action: 'delete', subject: 'workspaces' },
      }),
    )
  })

  it('takes manage from who holds manage, and from nobody else', () => {
    const manage = [{ action: 'manage', subject: 'events' }]
    expect(grantRules(manage, 'w', owner)).toHaveLength(1)
    expect(() => grantRules(manage, 'w', roleRules('editor'))).toThrow('manage events')
    expect(() => grantRules(manage, 'w', roleRules(undefined))).toThrow('manage events')
  })

  it.each(['__proto__', 'constructor', 'toString', 'Workspaces', '', 'orgs', 'secure_secrets', '*'])(
    'knows no subject and no action %j',
    (word) => {
      expect(() => grantRules([{ action: 'read', subject: word }], 'w', everything)).toThrow('subjectType')
      expect(() => grantRules([{ action: word, subject: 'files' }], 'w', everything)).toThrow('actionType')
    },
  )
})
