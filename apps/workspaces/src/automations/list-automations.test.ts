import { createAutomation, listAutomations } from '@platform/contracts'
import { newWorkspaceId } from '@platform/kernel'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('GET /v2/workspaces/:workspaceId/automations', () => {
  it('shows the automations without their steps, oldest first', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const first = await owner(createAutomation, {
      params,
      body: { name: 'First', do: [{ comment: 'x' }], output: 1 },
    })
    await owner(createAutomation, { params, body: { name: 'Second', do: [] } })
    const listed = await owner(listAutomations, { params })
    const { do: _, ...entry } = first
    expect(listed.map(({ slug }) => slug)).toEqual(['First', 'Second'])
    expect(listed[0]).toEqual(entry)
  })

  it('shows none of another workspace', async () => {
    const [{ workspace, owner }, other] = [await service.newWorkspace(), await service.newWorkspace()]
    await other.owner(createAutomation, {
      params: { workspaceId: other.workspace.id },
      body: { name: 'x', do: [] },
    })
    expect(await owner(listAutomations, { params: { workspaceId: workspace.id } })).toEqual([])
  })

  it('pages with a Link to the next page until there is none, twenty at a time unless told', async () => {
    const { workspace, owner, ownerId } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    const slugs = Array.from({ length: 21 }, (_, index) => `a${index}`)
    for (const slug of slugs) await owner(createAutomation, { params, body: { slug, do: [] } })
    const read = async (first: string) => {
      const pages: string[][] = []
      let path: string | undefined = first
      while (path !== undefined) {
        const response = await service.send(path, { userId: ownerId })
        pages.push(((await response.json()) as { slug: string }[]).map(({ slug }) => slug))
        path = /^<(.+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
      }
      return pages
    }
    const path = `/v2/workspaces/${workspace.id}/automations`
    expect(await read(path)).toEqual([slugs.slice(0, 20), slugs.slice(20)])
    expect(await read(`${path}?limit=7`)).toEqual([slugs.slice(0, 7), slugs.slice(7, 14), slugs.slice(14)])
    expect(await read(`${path}?page=9`)).toEqual([[]])
  })

  it.each(['limit=0', 'limit=101', 'page=-1', 'page=x', 'colour=red', 'page=1&page=2'])(
    'refuses ?%s',
    async (query) => {
      const { workspace, ownerId } = await service.newWorkspace()
      const path = `/v2/workspaces/${workspace.id}/automations?${query}`
      const response = await service.send(path, { userId: ownerId })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: 'RequestValidationError' })
    },
  )

  it('refuses callers without a credential, strangers, missing workspaces and invalid addresses', async () => {
    const { workspace, owner } = await service.newWorkspace()
    const params = { workspaceId: workspace.id }
    await expect(service.nobody(listAutomations, { params })).rejects.toMatchObject({ status: 401 })
    await expect(service.as({ userId: 'stranger' })(listAutomations, { params })).rejects.toMatchObject({
      status: 404,
    })
    const missing = { workspaceId: newWorkspaceId() }
    await expect(owner(listAutomations, { params: missing })).rejects.toMatchObject({ status: 404 })
    expect((await service.send('/v2/workspaces/%00/automations', {})).status).toBe(400)
  })
})
