import { listFunctions, syncFunctions } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

async function newFunctions(names: string[]) {
  const made = await service.newWorkspace()
  const params = { workspaceId: made.workspace.id }
  const functions = names.map((name) => ({ name, language: 'js' as const, code: 'return 1' }))
  await made.owner(syncFunctions, { params, body: { functions } })
  return { ...made, params }
}

describe('GET /v2/functions/:workspaceId', () => {
  it('answers a page of the functions by name, without their code, and where the next is', async () => {
    const { owner, ownerId, params } = await newFunctions(['c', 'a', 'b'])
    const page = await owner(listFunctions, { params, query: { limit: '2' as never } })
    expect(page.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(page[0]).not.toHaveProperty('code')
    const first = await service.send(`/v2/functions/${params.workspaceId}?limit=2`, { userId: ownerId })
    expect(first.headers.get('link')).toContain('rel="next"')
    expect(
      await owner(listFunctions, { params, query: { page: '1' as never, limit: '2' as never } }),
    ).toHaveLength(1)
  })

  it('is for members', async () => {
    const { workspace, params } = await newFunctions(['a'])
    await service.makeEditor(workspace.id, 'edgar')
    expect(await service.as({ userId: 'edgar' })(listFunctions, { params, query: {} })).toHaveLength(1)
    await expect(
      service.as({ userId: 'stranger' })(listFunctions, { params, query: {} }),
    ).rejects.toMatchObject({ status: 404 })
    await expect(service.nobody(listFunctions, { params, query: {} })).rejects.toMatchObject({ status: 401 })
    const wrong = await service.send(`/v2/functions/${params.workspaceId}?limit=many`, { userId: 'edgar' })
    expect(wrong.status).toBe(400)
  })
})
