import { getEventReader } from '@platform/contracts'
import { newWorkspaceId } from '@platform/kernel'
import { describe, expect } from 'vitest'
import { test } from '../../test/service-fixture.ts'

describe('the reader of events', () => {
  test('is whoever the credential stands for', async ({ service, workspaceId }) => {
    const params = { workspaceId }
    const { result } = await service.as({ userId: 'eve' })(getEventReader, { params })
    expect(result).toMatchObject({
      kind: 'user',
      userId: 'eve',
      sessionId: 'session-of-eve',
      superAdmin: false,
    })
    expect(await service.internal(getEventReader, { params })).toEqual({ result: { kind: 'internal' } })
  })

  test('is told to nobody else', async ({ service, workspaceId }) => {
    const params = { workspaceId }
    const refused = (call: Promise<unknown>) =>
      call.then(
        () => 'answered',
        ({ name }: Error) => name,
      )
    const missing = { params: { workspaceId: newWorkspaceId() } }
    expect(await refused(service.nobody(getEventReader, { params }))).toBe('AuthenticationError')
    expect(await refused(service.as({ userId: 'mallory' })(getEventReader, { params }))).toBe(
      'ObjectNotFoundError',
    )
    expect(await refused(service.as({ userId: 'ada' })(getEventReader, missing))).toBe('ObjectNotFoundError')
    expect(await refused(service.as({ userId: 'ada', scopes: [] })(getEventReader, { params }))).toBe(
      'InsufficientScope',
    )
    const bad = { params: { workspaceId: 'a\u0000' } }
    expect(await refused(service.as({ userId: 'ada' })(getEventReader, bad))).toBe('RequestValidationError')
  })
})
