import { createAutomation, patchAutomation, patchWorkspace } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

async function newResources() {
  const { workspace, owner, ownerId } = await service.newWorkspace()
  const params = { workspaceId: workspace.id, automationSlug: 'a' }
  await owner(createAutomation, { params, body: { slug: 'a', name: 'A', do: [] } })
  const workspacePath = `/v2/workspaces/${workspace.id}`
  const ask = (path: string, headers: Record<string, string> = {}, method = 'GET', body?: string) =>
    service.send(path, { userId: ownerId, method, headers, ...(body === undefined ? {} : { body }) })
  const touch = {
    workspace: () => owner(patchWorkspace, { params, body: { photo: 'p' } }),
    automation: () => owner(patchAutomation, { params, body: { disabled: true } }),
  }
  return { ask, touch, paths: { workspace: workspacePath, automation: `${workspacePath}/automations/a` } }
}

describe.each(['workspace', 'automation'] as const)('the state of the %s', (kind) => {
  it('is answered as a strong ETag, and 304 to who has it', async () => {
    const { ask, touch, paths } = await newResources()
    const etag = (await ask(paths[kind])).headers.get('etag') ?? ''
    expect(etag).toMatch(/^"[^"]+"$/)
    const again = await ask(paths[kind], { 'if-none-match': `"other", ${etag}` })
    expect(again.status).toBe(304)
    expect(again.headers.get('etag')).toBe(etag)
    await touch[kind]()
    expect((await ask(paths[kind], { 'if-none-match': etag })).status).toBe(200)
  })

  it.each(['PATCH', 'DELETE'])('guards %s with If-Match', async (method) => {
    const { ask, touch, paths } = await newResources()
    const stale = (await ask(paths[kind])).headers.get('etag') ?? ''
    await touch[kind]()
    const body = method === 'PATCH' ? '{}' : undefined
    const type = { 'content-type': 'application/json' }
    const refused = await ask(paths[kind], { ...type, 'if-match': stale }, method, body)
    expect(refused.status).toBe(412)
    expect(await refused.json()).toMatchObject({ error: 'PreconditionFailed' })
    const fresh = (await ask(paths[kind])).headers.get('etag') ?? ''
    expect((await ask(paths[kind], { ...type, 'if-match': `${fresh}, "x"` }, method, body)).status).toBe(200)
  })

  it('is answered by PATCH as GET will answer it', async () => {
    const { ask, paths } = await newResources()
    const patched = await ask(paths[kind], { 'content-type': 'application/json' }, 'PATCH', '{}')
    expect(patched.headers.get('etag')).toBe((await ask(paths[kind])).headers.get('etag'))
  })
})

it.each(['PUT', 'DELETE'])(
  '%s of an API key is guarded by the tag its last change answered',
  async (method) => {
    const { ask, paths } = await newResources()
    const type = { 'content-type': 'application/json' }
    const rules = JSON.stringify([{ subject: 'pages', action: ['update', 'read'] }])
    const given = `{"name":"CI","rules":${rules}}`
    const made = await ask(`${paths.workspace}/security/apikeys`, type, 'POST', given)
    const listed = await (await ask(`${paths.workspace}/security/apikeys`)).json()
    const [{ _id }] = listed as [{ _id: string }]
    const path = `${paths.workspace}/security/apikeys/${_id}`
    const change = (tag: string, by: string) =>
      ask(path, { ...type, 'if-match': tag }, by, by === 'PUT' ? `{"rules":${rules}}` : undefined)
    const first = made.headers.get('etag') ?? ''
    const changed = await change(first, 'PUT')
    expect([made.status, changed.status]).toEqual([200, 200])
    expect((await change(first, method)).status).toBe(412)
    expect((await change(changed.headers.get('etag') ?? '', method)).status).toBe(200)
  },
)

it('one of two editors who read the same state is told that the other was faster', async () => {
  const { ask, paths } = await newResources()
  const etag = (await ask(paths.automation)).headers.get('etag') ?? ''
  const headers = { 'content-type': 'application/json', 'if-match': etag }
  const both = await Promise.all(
    ['1', '2'].map((output) => ask(paths.automation, headers, 'PATCH', `{"output": ${output}}`)),
  )
  expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
})
