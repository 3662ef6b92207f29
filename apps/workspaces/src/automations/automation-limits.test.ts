import { createAutomation } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces({
    AUTOMATION_MAX_BYTES: '4000',
    AUTOMATION_MAX_STEPS: '5',
    AUTOMATION_MAX_NODES: '100',
    AUTOMATIONS_PER_WORKSPACE_MAX: '3',
  })
})
afterAll(() => service[Symbol.asyncDispose]())

const step = { comment: 'x' }
const nested = (steps: number) => [{ try: { do: [{ all: Array(steps - 2).fill(step) }] } }]
const asYaml = (definition: object) => JSON.stringify(definition, null, 1)

/** Each with what is said of it. */
const tooLarge = [
  ['steps', { do: Array(6).fill(step) }, 'The automation has 6 steps; at most 5 are allowed'],
  ['nested steps', { do: nested(6) }, 'The automation has 6 steps; at most 5 are allowed'],
  ['values', { output: Array(101).fill(1) }, 'values and words of expressions; at most 100 are allowed'],
  ['templates in one text', { output: '{{a}}'.repeat(40) }, 'values and words of expressions; at most 100'],
  ['words in one expression', { output: `{% [${'1,'.repeat(80)}1] %}` }, 'values and words of expressions'],
  ['bytes', { output: 'é'.repeat(2000) }, 'bytes as JSON; at most 4,000 are allowed'],
] as const

const ways = [
  ['application/json', JSON.stringify],
  ['application/yaml', asYaml],
] as const

describe.each(ways)('an automation that is too large, sent as %s,', (type, write) => {
  const send = async (method: string, path: string, userId: string, definition: object) => {
    const headers = { 'content-type': type }
    const response = await service.send(path, { method, userId, headers, body: write(definition) })
    return { status: response.status, body: (await response.json()) as { error?: string; message?: string } }
  }

  test.each(tooLarge)('because of its %s is not created, nor made of another', async (_, part, message) => {
    const { workspace, owner, ownerId } = await service.newWorkspace()
    const path = `/v2/workspaces/${workspace.id}/automations`
    const refused = {
      status: 400,
      body: { error: 'InvalidAutomation', message: expect.stringContaining(message) },
    }
    expect(await send('POST', path, ownerId, { name: 'x', do: [], ...part })).toMatchObject(refused)
    await owner(createAutomation, { params: { workspaceId: workspace.id }, body: { slug: 'small', do: [] } })
    expect(await send('PATCH', `${path}/small`, ownerId, part)).toMatchObject(refused)
  })

  test('is not made by patching one part after the other', async () => {
    const { workspace, owner, ownerId } = await service.newWorkspace()
    const path = `/v2/workspaces/${workspace.id}/automations`
    const body = { slug: 'half', do: [], output: 'x'.repeat(2500) }
    await owner(createAutomation, { params: { workspaceId: workspace.id }, body })
    const patched = await send('PATCH', `${path}/half`, ownerId, { description: 'x'.repeat(1800) })
    expect([patched.status, patched.body.error]).toEqual([400, 'InvalidAutomation'])
  })
})

test('aliases are counted as what they stand for', async () => {
  const { workspace, ownerId } = await service.newWorkspace()
  const text = `name: x\noutput:\n- &a [1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20]\n${'- *a\n'.repeat(6)}`
  const headers = { 'content-type': 'application/yaml' }
  const path = `/v2/workspaces/${workspace.id}/automations`
  const response = await service.send(path, { method: 'POST', userId: ownerId, headers, body: text })
  expect([response.status, ((await response.json()) as { message: string }).message]).toEqual([
    400,
    expect.stringContaining('at most 100 are allowed: split it into several automations.'),
  ])
})

test('what is within the limits is saved, and a workspace has so many automations and no more', async () => {
  const { workspace, owner } = await service.newWorkspace()
  const params = { workspaceId: workspace.id }
  const make = () => owner(createAutomation, { params, body: { name: 'one', do: nested(5) } })
  for (let made = 0; made < 3; made += 1) await make()
  await expect(make()).rejects.toMatchObject({
    name: 'ForbiddenError',
    message: 'A workspace may have 3 automations, and this one has them: delete one first.',
  })
})
