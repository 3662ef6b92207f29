import { functionUpdated, getFunction, patchFunction, putFunction } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

async function newFunction() {
  const made = await service.newWorkspace()
  const params = { workspaceId: made.workspace.id, functionName: 'add' }
  const body = { language: 'ts' as const, code: 'return 1', description: 'Adds', timeout: '5s' }
  return { ...made, params, before: await made.owner(putFunction, { params, body }) }
}

describe('PATCH /v2/functions/:workspaceId/:functionName', () => {
  it('changes what is named, takes away what is null, keeps the rest, and tells of it', async () => {
    const { workspace, owner, params, before } = await newFunction()
    const body = { code: 'return 2', description: null, parameters: { a: { type: 'number' } } }
    const after = await owner(patchFunction, { params, body })
    expect(after).toMatchObject({
      name: 'add',
      language: 'typescript',
      code: 'return 2',
      parameters: body.parameters,
      timeout: '5s',
      createdAt: before.createdAt,
    })
    expect(after).not.toHaveProperty('description')
    expect(await owner(getFunction, { params })).toEqual(after)
    const event = (await service.eventsOf(workspace.id)).at(-1)
    expect(event).toMatchObject({ type: functionUpdated.type, payload: { name: 'add' } })
  })

  it('refuses what could not be declared, and what is not there', async () => {
    const { owner, params } = await newFunction()
    await expect(owner(patchFunction, { params, body: { code: 'const = 1' } })).rejects.toMatchObject({
      name: 'InvalidFunction',
    })
    const wrong = [{ name: 'other' }, { code: null }, { language: 'cobol' }]
    for (const body of wrong)
      await expect(owner(patchFunction, { params, body: body as never })).rejects.toMatchObject({
        name: 'RequestValidationError',
      })
    const missing = { params: { ...params, functionName: 'none' }, body: {} }
    await expect(owner(patchFunction, missing)).rejects.toMatchObject({ status: 404 })
    expect((await owner(getFunction, { params })).code).toBe('return 1')
  })

  it('honours If-Match', async () => {
    const { ownerId, params } = await newFunction()
    const patch = (etag: string) =>
      service.send(`/v2/functions/${params.workspaceId}/add`, {
        method: 'PATCH',
        userId: ownerId,
        headers: { 'content-type': 'application/json', 'if-match': etag },
        body: '{"code":"return 3"}',
      })
    expect((await patch('"x"')).status).toBe(412)
    const read = await service.send(`/v2/functions/${params.workspaceId}/add`, { userId: ownerId })
    expect((await patch(read.headers.get('etag') ?? '')).status).toBe(200)
  })

  it('is for who may change automations: strangers find nothing, nobody is asked to sign in', async () => {
    const { params } = await newFunction()
    const body = { code: 'return 2' }
    await expect(service.as({ userId: 'stranger' })(patchFunction, { params, body })).rejects.toMatchObject({
      status: 404,
    })
    await expect(service.nobody(patchFunction, { params, body })).rejects.toMatchObject({ status: 401 })
  })
})
