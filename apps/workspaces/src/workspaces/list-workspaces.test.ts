import { createWorkspace, listWorkspaces, patchWorkspace } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces, unique } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

describe('GET /v2/workspaces', () => {
  it('shows the caller’s workspaces, last changed first, and nobody else’s', async () => {
    const { workspace: first, owner } = await service.newWorkspace()
    const second = await owner(createWorkspace, { body: { name: 'Second' } })
    await service.newWorkspace()
    const { config: _, ...listed } = second
    expect(await owner(listWorkspaces)).toEqual([listed, first])
  })

  it('shows everything to super administrators', async () => {
    const { workspace } = await service.newWorkspace()
    const all = await service.as({ userId: 'root', superAdmin: true })(listWorkspaces, {
      query: { limit: '100' },
    })
    expect(all.map(({ id }) => id)).toContain(workspace.id)
  })

  it('pages with a Link to the next page until there is none', async () => {
    const userId = unique('pager')
    const owner = service.as({ userId })
    for (let n = 0; n < 5; n++) await owner(createWorkspace, { body: { name: `Page ${n}` } })
    const seen: string[] = []
    let path: string | undefined = '/v2/workspaces?limit=2&search=page'
    while (path !== undefined) {
      const response = await service.send(path, { userId })
      const page = (await response.json()) as { name: string }[]
      seen.push(...page.map(({ name }) => name))
      path = /^<(.+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
      if (path !== undefined) expect(path).toContain('search=page')
    }
    expect(seen).toEqual(['Page 4', 'Page 3', 'Page 2', 'Page 1', 'Page 0'])
  })

  it('filters by name, slug, part of a text, labels and ids', async () => {
    const owner = service.as({ userId: unique('filterer') })
    const slug = unique('blue')
    const blue = await owner(createWorkspace, {
      body: { name: 'Blue Moon', slug, labels: ['colour', 'cold'] },
    })
    const red = await owner(createWorkspace, { body: { name: 'Red', labels: ['colour', 'warm'] } })
    const ids = async (query: Record<string, string>) =>
      (await owner(listWorkspaces, { query })).map(({ id }) => id)
    expect(await ids({ name: 'red' })).toEqual([red.id])
    expect(await ids({ slug })).toEqual([blue.id])
    expect(await ids({ search: 'LUE m' })).toEqual([blue.id])
    expect(await ids({ search: '_' })).toEqual([])
    expect(await ids({ search: 'wAr' })).toEqual([red.id])
    expect(await ids({ labels: 'colour' })).toEqual([red.id, blue.id])
    expect(await ids({ labels: 'colour, cold' })).toEqual([blue.id])
    expect(await ids({ ids: `${red.id},missing` })).toEqual([red.id])
    expect(await ids({ ids: ',' })).toEqual([])
  })

  it('sorts by name, slug and dates, in both directions', async () => {
    const owner = service.as({ userId: unique('sorter') })
    const slugs = { a: unique('za'), b: unique('zb'), c: unique('zc') }
    await owner(createWorkspace, { body: { name: 'beta', slug: slugs.c } })
    const gamma = await owner(createWorkspace, { body: { name: 'Gamma', slug: slugs.a } })
    await owner(createWorkspace, { body: { name: 'Alpha', slug: slugs.b } })
    await owner(patchWorkspace, { params: { workspaceId: gamma.id }, body: { description: 'touched' } })
    const names = async (sort: string) =>
      (await owner(listWorkspaces, { query: { sort } })).map(({ name }) => name).join(' ')
    expect(await names('name')).toBe('Alpha beta Gamma')
    expect(await names('-name')).toBe('Gamma beta Alpha')
    expect(await names('name:desc')).toBe('Gamma beta Alpha')
    expect(await names('slug:asc')).toBe('Gamma Alpha beta')
    expect(await names('createdAt')).toBe('beta Gamma Alpha')
    expect(await names('-updatedAt')).toBe('Gamma Alpha beta')
  })

  it('shows what the caller owns, what others own, and what a person is a member of', async () => {
    const { workspace: mine, owner: user, ownerId: userId } = await service.newWorkspace()
    const { workspace: other, ownerId: otherId } = await service.newWorkspace()
    await service.makeEditor(other.id, userId)
    await service.database.many(sql`create schema if not exists gateway`)
    await service.database.many(sql`
      create table if not exists gateway.users (id text primary key, email text unique, status text not null)`)
    await service.database.many(sql`
      insert into gateway.users values (${otherId}, ${`${otherId}@example.com`}, 'validated')`)
    const ids = async (query: Record<string, 'true' | 'false'> | { email: string }) =>
      (await user(listWorkspaces, { query })).map(({ id }) => id)
    expect(await ids({ owned: 'true' })).toEqual([mine.id])
    expect(await ids({ owned: 'false' })).toEqual([other.id])
    expect(await ids({ email: `${otherId.toUpperCase()}@example.com` })).toEqual([other.id])
    expect(await ids({ email: 'nobody@example.com' })).toEqual([])
    expect(await ids({ dirty: 'true' })).toEqual([])
    expect(await ids({ dirty: 'false', owned: 'true' })).toEqual([mine.id])
  })

  it.each([
    'sort=colour',
    'sort=-name:asc',
    'owned=yes',
    'dirty=1',
    'limit=0',
    'limit=101',
    'page=-1',
    'page=x',
    'colour=red',
    'page=1&page=2',
    'search=%00',
  ])('refuses ?%s', async (query) => {
    const response = await service.send(`/v2/workspaces?${query}`, {})
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: 'RequestValidationError' })
  })

  it('refuses callers without a credential, without the scope and without a user', async () => {
    await expect(service.nobody(listWorkspaces)).rejects.toMatchObject({ status: 401 })
    await expect(service.internal(listWorkspaces)).rejects.toMatchObject({ status: 403 })
    await expect(service.as({ scopes: [] })(listWorkspaces)).rejects.toMatchObject({
      name: 'InsufficientScope',
    })
  })
})
