import {
  automationUpdated,
  createAutomation,
  getAutomation,
  listAutomations,
  patchAutomation,
} from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

async function newAutomation() {
  const made = await service.newWorkspace()
  const params = { workspaceId: made.workspace.id }
  const body = { slug: 'old', name: 'Old', when: { endpoint: true }, do: [{ comment: 'x' }], output: 'a' }
  const automation = await made.owner(createAutomation, { params, body })
  return { ...made, automation, params: { ...params, automationSlug: 'old' } }
}

describe('PATCH /v2/workspaces/:workspaceId/automations/:automationSlug', () => {
  it('changes the given fields and keeps the others', async () => {
    const { owner, automation, params } = await newAutomation()
    const patched = await owner(patchAutomation, {
      params,
      body: { output: null, arguments: { a: { type: 'string' } } },
    })
    expect(patched).toMatchObject({
      name: 'Old',
      do: automation.do,
      output: null,
      arguments: { a: { type: 'string' } },
    })
    expect(patched.createdAt).toBe(automation.createdAt)
    expect(patched.checksum).not.toBe(automation.checksum)
    expect(await owner(getAutomation, { params })).toEqual(patched)
  })

  it('takes YAML', async () => {
    const { workspace, ownerId } = await newAutomation()
    const path = `/v2/workspaces/${workspace.id}/automations/old`
    const headers = { 'content-type': 'application/yaml' }
    const response = await service.send(path, {
      method: 'PATCH',
      userId: ownerId,
      headers,
      body: 'disabled: true\n',
    })
    expect(await response.json()).toMatchObject({ slug: 'old', disabled: true, output: 'a' })
  })

  it('renames: the old slug is free, the URL moves along, the event names both', async () => {
    const { workspace, owner, params } = await newAutomation()
    await owner(patchAutomation, { params, body: { slug: 'v2/new' } })
    await expect(owner(getAutomation, { params })).rejects.toMatchObject({ status: 404 })
    expect((await owner(listAutomations, { params })).map(({ slug }) => slug)).toEqual(['v2/new'])
    const event = (await service.eventsOf(workspace.id)).at(-1)
    expect(event).toMatchObject({ type: automationUpdated.type, payload: { slug: 'v2/new', oldSlug: 'old' } })
    const [live] = await service.database.many<{ automations: object; revision: number }>(
      sql`select automations, revision from workspaces.live_definitions where workspace_id = ${workspace.id}`,
    )
    expect(live).toMatchObject({ revision: 3, automations: { 'v2/new': { slug: 'v2/new' } } })
  })

  it('refuses a slug that is taken, and keeps its own', async () => {
    const { owner, params } = await newAutomation()
    await owner(createAutomation, { params, body: { slug: 'other', name: 'x', do: [] } })
    await expect(owner(patchAutomation, { params, body: { slug: 'other' } })).rejects.toMatchObject({
      name: 'AlreadyUsed',
    })
    expect((await owner(patchAutomation, { params, body: { slug: 'old' } })).slug).toBe('old')
  })

  it('refuses what would not run, with its place', async () => {
    const { owner, params } = await newAutomation()
    const wrong = owner(patchAutomation, { params, body: { do: [{ set: { name: 'a' } }] } })
    await expect(wrong).rejects.toMatchObject({
      name: 'InvalidAutomation',
      details: [{ line: 1, column: 9, path: 'do[0].set.value' }],
    })
    const unknown = owner(patchAutomation, { params, body: { colour: 'red' } as never })
    await expect(unknown).rejects.toMatchObject({ details: [{ path: 'colour' }] })
  })

  it('keeps the order of changes that come together: the last event tells the state', async () => {
    const { owner, params, workspace } = await newAutomation()
    const names = Array.from({ length: 30 }, (_, index) => `arg${index}`)
    await Promise.all(names.map((name) => owner(patchAutomation, { params, body: { name } })))
    const events = (await service.eventsOf(workspace.id)).filter(
      ({ type }) => type === automationUpdated.type,
    )
    expect(events).toHaveLength(30)
    const last = events.at(-1)?.payload as { automation: { name: string } }
    expect((await owner(getAutomation, { params })).name).toBe(last.automation.name)
  })

  it('refuses missing automations, strangers and callers without a credential', async () => {
    const { owner, params } = await newAutomation()
    const body = { disabled: true }
    const missing = { ...params, automationSlug: 'missing' }
    await expect(owner(patchAutomation, { params: missing, body })).rejects.toMatchObject({ status: 404 })
    await expect(service.as({ userId: 'stranger' })(patchAutomation, { params, body })).rejects.toMatchObject(
      { status: 404 },
    )
    await expect(service.nobody(patchAutomation, { params, body })).rejects.toMatchObject({ status: 401 })
  })
})
