import { getFunction, putFunction } from '@platform/contracts'
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

describe('GET /v2/functions/:workspaceId/:functionName', () => {
  it('answers the function with its code, also by the slug of the workspace', async () => {
    const { workspace, owner, params } = await newFunction()
    const found = await owner(getFunction, { params })
    expect(found).toMatchObject({ name: 'f', language: 'javascript', code: 'return 1' })
    expect(found.checksum).toMatch(/^[0-9a-f]{64}$/)
    expect(
      await owner(getFunction, { params: { ...params, workspaceId: `slug:${workspace.slug}` } }),
    ).toEqual(found)
  })

  it('answers 304 to whoever has its state', async () => {
    const { ownerId, params } = await newFunction()
    const get = (headers = {}) =>
      service.send(`/v2/functions/${params.workspaceId}/f`, { userId: ownerId, headers })
    const etag = (await get()).headers.get('etag') ?? ''
    expect((await get({ 'if-none-match': etag })).status).toBe(304)
  })

  it('refuses missing functions, strangers, callers without a credential and invalid names', async () => {
    const { owner, ownerId, params } = await newFunction()
    await expect(owner(getFunction, { params: { ...params, functionName: 'g' } })).rejects.toMatchObject({
      status: 404,
      message: 'There is no function "g" in this workspace.',
    })
    await expect(service.as({ userId: 'stranger' })(getFunction, { params })).rejects.toMatchObject({
      status: 404,
    })
    await expect(service.nobody(getFunction, { params })).rejects.toMatchObject({ status: 401 })
    const invalid = await service.send(`/v2/functions/${params.workspaceId}/%00`, { userId: ownerId })
    expect(invalid.status).toBe(400)
  })
})
