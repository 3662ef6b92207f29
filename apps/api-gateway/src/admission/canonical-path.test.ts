import * as contracts from '@platform/contracts'
import { describe, expect, test } from 'vitest'
import { endpointsOf } from '../../test/operations.ts'
import { canonicalPath, slashedContracts } from './canonical-path.ts'

const workspace = '/v2/workspaces/w0123456789abcde'

describe('an encoded slash', () => {
  test.each([
    [`${workspace}/automations/v1%2Fstatus`, `${workspace}/automations/v1/status`],
    [`${workspace}/automations/v1%2fa/b%2Fc%20d`, `${workspace}/automations/v1/a/b/c%20d`],
    [`${workspace}/test/v1%2Fstatus`, `${workspace}/test/v1/status`],
    [`${workspace}/webhooks/v1%2Fstatus/`, `${workspace}/webhooks/v1/status/`],
    ['/v3/workspaces/slug%3Ahello/automations/a%2Fb', '/v3/workspaces/slug%3Ahello/automations/a/b'],
  ])('is a slash in a parameter that may hold one: %s', (path, canonical) => {
    expect(canonicalPath(path)).toBe(canonical)
    expect(canonicalPath(canonical)).toBe(canonical)
  })

  test.each([
    '/v2%2Fworkspaces',
    '/v2/workspaces/w1%2Fautomations/x',
    '/v2/workspaces/w1/automations%2Fx',
    '/v2/workspaces/w1%2fautomations%2Fx',
    '/v2/workspaces/automations/x%2Fy',
    '/v2/workspaces/w1/files/a%2Fb',
    '/v2/workspaces/w1/security/automations/a%2Fb',
    '/sys/workspaces%2Fw1/automations/a',
    `${workspace}/automations/%2Fa`,
    `${workspace}/automations/a%2F`,
    `${workspace}/automations/a%2F%2Fb`,
    `${workspace}/automations/a%2F..%2Fb`,
    `${workspace}/automations/a%2F.%2e/b`,
    `${workspace}/automations/..%2F..%2Fsecurity`,
    `${workspace}/automations/a%252Fb`,
    `${workspace}/automations/a%5Cb`,
    `${workspace}/automations/a%2F;b`,
    `${workspace}/automations/a%2F%00b`,
    `${workspace}/automations/a%2F%c0%afb`,
  ])('is refused everywhere else, and with what could lead elsewhere: %s', (path) => {
    expect(() => canonicalPath(path)).toThrow(/ambiguous/)
  })

  test('is known for every parameter that may hold slashes', () => {
    const paths = endpointsOf(contracts).map(({ path }) => path)
    const slashed = new Set(paths.filter((path) => path.includes('*')))
    expect(new Set<string>(slashedContracts.map(({ path }) => path))).toEqual(slashed)
  })
})
