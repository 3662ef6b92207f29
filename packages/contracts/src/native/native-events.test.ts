import { describe, expect, test } from 'vitest'
import * as contracts from '../index.ts'
import { isNativeType, mayTrigger, nativeEvents } from '../index.ts'

/** Every native type, without those that apps emit. */
const catalogue = `
access-manager.bindings: created deleted
apikeys: created deleted updated
apps: deleted published
events: cleaned nodes.joined nodes.left nodes.sync userTopics.created userTopics.joined websockets.message
events: subscribers.joined subscribers.left
gateway: jwks.updated login.failed login.succeeded mfa.failed passwordReset.requested passwordReset.succeeded
gateway: signup.succeeded sso.updated users.bulkUpdated users.deleted users.updated
organizations: audit created deleted updated apikeys.created apikeys.deleted apikeys.rotated apikeys.updated
organizations.groups: created deleted members.added members.removed updated
organizations.invites: created revoked
organizations.members: added removed updated
organizations.roles: created deleted updated
organizations.serviceAccounts: created deleted rotated tokenIssued updated
organizations.subscriptions: created deleted updated
runtime: automations.executed automations.scheduled contexts.updated dsul.updated fetch.failed
runtime: interactions.triggered jwks.updated schedules.created schedules.triggered waits.fulfilled waits.pending
runtime: webhooks.triggered
workspaces: configured created deleted duplicated imported suspended updated
workspaces.apps: configured installed uninstalled
workspaces.automations: created deleted updated
workspaces.functions: created deleted updated
workspaces.bulkImport: completed progress started
workspaces.bulkPush: completed progress started
workspaces.pages: created deleted permissions.deleted permissions.shared updated
workspaces.permissions: deleted shared
workspaces.versions: deleted progress published rollback
workspaces: blocks.updated collections.updated events.updated files.uploaded files.updated secrets.updated
workspaces: security.updated`

const types = catalogue
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [prefix, names = ''] = line.split(': ')
    return names.split(' ').map((name) => `${prefix}.${name}`)
  })
  .concat('error', 'usage')

/** What is declared, without `things.…`: those are declared by other tests that run in this process. */
const ofThePlatform = [...nativeEvents.keys()].filter((type) => !type.startsWith('things.'))

describe('the native events', () => {
  test('are those of the catalogue', () => {
    expect(types.filter((type) => !nativeEvents.has(type))).toEqual([])
  })

  test('are all reserved, so that nobody else can emit one', () => {
    expect(ofThePlatform.filter((type) => !isNativeType(type))).toEqual([])
  })

  test('are each declared once, and every one that automations may listen to is one of them', () => {
    const declared = Object.values<unknown>(contracts).flatMap((value) => [
      value,
      ...Object.values(value ?? {}),
    ])
    const contractsOf = declared.filter(
      (value): value is contracts.EventContract =>
        typeof value === 'object' && value !== null && 'emittedWhen' in value,
    )
    const declaredTypes = contractsOf.map(({ type }) => type)
    expect(new Set(declaredTypes).size).toBe(declaredTypes.length)
    expect(declaredTypes.toSorted()).toEqual(ofThePlatform.toSorted())
    expect(types.filter(mayTrigger).length).toBe(21)
  })

  test('have a payload that is checked: what is required may not be missing, what is more is kept', () => {
    const { payload } = contracts.organizationEvents.groupsMembersAdded
    const told = { orgSlug: 'acme', groupSlug: 'sales', userIds: ['ada'], more: 1 }
    expect(payload.parse(told)).toEqual(told)
    expect(payload.safeParse({ orgSlug: 'acme', groupSlug: 'sales' }).success).toBe(false)
  })
})
