import { deleteFunction, functionDeleted, getFunction, putFunction } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

async function newFunction() {
  const made = await service.newWorkspace()
  const params = { workspaceId: made.workspace.id, functionName: 'f' }
  await made.owner(putFunction, { params, body: { language: 'js', code: 'return 1' } })
  return { ...made, params }
}

describe('DELETE /v2/functions/:workspaceId/:functionName', () => {
  it('deletes the function and emits workspaces.functions.deleted', async () => {
    const { workspace, owner, params } = await newFunction()
    expect(await owner(deleteFunction, { params })).toEqual({ name: 'f' })
    await expect(owner(getFunction, { params })).rejects.toMatchObject({ status: 404 })
    const event = (await service.eventsOf(workspace.id)).at(-1)
    expect(event).toMatchObject({ type: functionDeleted.type, payload: { name: 'f' } })
  })

  it('refuses another state, missing functions, strangers, callers without a credential, strange names', async () => {
    const { owner, ownerId, params } = await newFunction()
    const send = (name: string, headers = {}) =>
      service.send(`/v2/functions/${params.workspaceId}/${name}`, {
        method: 'DELETE',
        userId: ownerId,
        headers,
      })
    expect((await send('f', { 'if-match': '"x"' })).status).toBe(412)
    expect((await send('%00')).status).toBe(400)
    await expect(owner(deleteFunction, { params: { ...params, functionName: 'g' } })).rejects.toMatchObject({
      status: 404,
    })
    await expect(service.as({ userId: 'stranger' })(deleteFunction, { params })).rejects.toMatchObject({
      status: 404,
    })
    await expect(service.nobody(deleteFunction, { params })).rejects.toMatchObject({ status: 401 })
  })
})
