import { functionCreated, functionUpdated, getFunction, putFunction } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces({ FUNCTIONS_PER_WORKSPACE_MAX: '2', BROKER_EMIT_MAXLEN: '3000' })
})
afterAll(() => service[Symbol.asyncDispose]())

const body = {
  language: 'ts' as const,
  code: 'return 1',
  parameters: { a: { type: 'number' } },
  timeout: '5s',
}

async function newPlace(name = 'add') {
  const made = await service.newWorkspace()
  return { ...made, params: { workspaceId: made.workspace.id, functionName: name } }
}

describe('PUT /v2/functions/:workspaceId/:functionName', () => {
  it('declares a function, then another in its place, and tells of both', async () => {
    const { workspace, owner, ownerId, params } = await newPlace()
    const made = await owner(putFunction, { params, body: { ...body, dependencies: [], description: null } })
    expect(made).toMatchObject({
      ...body,
      name: 'add',
      language: 'typescript',
      dependencies: [],
      createdBy: ownerId,
    })
    expect(made).not.toHaveProperty('description')
    const changed = await owner(putFunction, { params, body: { language: 'js', code: 'return 2' } })
    expect(changed).toMatchObject({ language: 'javascript', code: 'return 2', createdAt: made.createdAt })
    expect(changed).not.toHaveProperty('parameters')
    expect(await owner(getFunction, { params })).toEqual(changed)
    const told = (await service.eventsOf(workspace.id)).slice(-2)
    expect(told.map(({ type }) => type)).toEqual([functionCreated.type, functionUpdated.type])
  })

  it('only names a function in its event that would not fit', async () => {
    const { workspace, owner, params } = await newPlace()
    await owner(putFunction, { params, body: { ...body, code: `return "${'x'.repeat(3000)}"` } })
    const event = (await service.eventsOf(workspace.id)).at(-1)
    expect(event?.payload).toEqual({
      name: 'add',
      function: { name: 'add', truncated: true, size: expect.any(Number) },
    })
  })

  it('honours If-Match, also where there is none yet', async () => {
    const { ownerId, params } = await newPlace()
    const path = `/v2/functions/${params.workspaceId}/add`
    const put = (headers: Record<string, string>) =>
      service.send(path, {
        method: 'PUT',
        userId: ownerId,
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
      })
    expect((await put({ 'if-match': '"x"' })).status).toBe(412)
    const made = await put({})
    const etag = made.headers.get('etag') ?? ''
    expect((await put({ 'if-match': '"x"' })).status).toBe(412)
    expect((await put({ 'if-none-match': '*' })).status).toBe(412)
    expect((await put({ 'if-match': etag })).status).toBe(200)
  })

  it('lets editors declare; refuses strangers, nobody, strange names and one too many', async () => {
    const { workspace, params } = await newPlace()
    await service.makeEditor(workspace.id, 'edgar')
    const editor = service.as({ userId: 'edgar' })
    const named = (functionName: string) => ({ params: { ...params, functionName }, body })
    for (const name of ['one', 'two']) expect((await editor(putFunction, named(name))).name).toBe(name)
    await expect(editor(putFunction, named('three'))).rejects.toMatchObject({ name: 'ForbiddenError' })
    for (const name of ['a-b', 'run', '1a', 'constructor'])
      await expect(editor(putFunction, named(name))).rejects.toMatchObject({ name: 'RequestValidationError' })
    await expect(
      editor(putFunction, { params: { ...params, functionName: 'one' }, body: { ...body, name: 'other' } }),
    ).rejects.toMatchObject({ message: expect.stringContaining('must be the name in the body') })
    await expect(service.as({ userId: 'stranger' })(putFunction, { params, body })).rejects.toMatchObject({
      status: 404,
    })
    await expect(service.nobody(putFunction, { params, body })).rejects.toMatchObject({ status: 401 })
    const missing = { workspaceId: 'a123456789012345', functionName: 'add' }
    await expect(editor(putFunction, { params: missing, body })).rejects.toMatchObject({ status: 404 })
  })
})
