import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

/** Saves a text as it is. */
async function save(workspaceId: string, userId: string, text: string, type = 'application/yaml') {
  const path = `/v2/workspaces/${workspaceId}/automations`
  const headers = { 'content-type': type }
  const response = await service.send(path, { method: 'POST', userId, headers, body: text })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe('the answer to an automation that is not valid', () => {
  it('names every problem with line, column, path and a sentence', async () => {
    const { workspace, ownerId } = await service.newWorkspace()
    const text =
      'name: Wrong\ndo:\n- set:\n    value: 1\n- fetch:\n    url: x\n    retries: 3\noutput: "{{a"\n'
    const { status, body } = await save(workspace.id, ownerId, text)
    expect(status).toBe(400)
    expect(body.error).toBe('InvalidAutomation')
    expect(body.message).toBe(
      'Line 3, column 3: do[0].set.name is missing: it must be a text. There are 2 more problems.',
    )
    expect(body.details).toEqual([
      {
        line: 3,
        column: 3,
        path: 'do[0].set.name',
        message: 'do[0].set.name is missing: it must be a text.',
      },
      {
        line: 7,
        column: 5,
        path: 'do[1].fetch.retries',
        message: 'do[1].fetch.retries is not a field of fetch.',
      },
      { line: 8, column: 10, path: 'output', message: expect.stringContaining('never closed') },
    ])
  })

  it('names them in JSON too', async () => {
    const { workspace, ownerId } = await service.newWorkspace()
    const text = JSON.stringify(
      { name: 'Wrong', do: [{ set: { name: 'a', value: 1, format: 'json' } }] },
      null,
      2,
    )
    const { status, body } = await save(workspace.id, ownerId, text, 'application/json')
    expect(status).toBe(400)
    expect(body.details).toMatchObject([{ line: 8, column: 9, path: 'do[0].set.format' }])
  })

  it('names at most fifty', async () => {
    const { workspace, ownerId } = await service.newWorkspace()
    const { body } = await save(workspace.id, ownerId, `name: Many\ndo:\n${'- {}\n'.repeat(200)}`)
    expect(body.details).toHaveLength(50)
  })

  it('refuses other media types, missing bodies and more than a megabyte', async () => {
    const { workspace, ownerId } = await service.newWorkspace()
    expect((await save(workspace.id, ownerId, 'name: x', 'text/plain')).status).toBe(415)
    expect((await save(workspace.id, ownerId, '')).status).toBe(400)
    expect((await save(workspace.id, ownerId, `name: ${'x'.repeat(1_000_001)}`)).status).toBe(413)
  })
})
