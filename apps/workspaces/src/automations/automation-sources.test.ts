import { getAutomation, patchAutomation } from '@platform/contracts'
import { sql } from '@platform/database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startWorkspaces, type TestWorkspaces } from '../../test/testing.ts'

let service: TestWorkspaces
beforeAll(async () => {
  service = await startWorkspaces()
})
afterAll(() => service[Symbol.asyncDispose]())

const YAML =
  '# Says hello\nslug: main\nname: Main\nwhen: {endpoint: true}\noutput:   hello   # to everybody\n'

/** A workspace with the automation `main`, saved as the text. */
async function savedAs(text: string) {
  const { workspace, owner, ownerId } = await service.newWorkspace()
  const params = { workspaceId: workspace.id, automationSlug: 'main' }
  const path = `/v2/workspaces/${workspace.id}/automations`
  const send = (method: string, to: string, body: string) =>
    service.send(to, { method, userId: ownerId, headers: { 'content-type': 'application/yaml' }, body })
  const made = await send('POST', path, text)
  expect(made.status).toBe(200)
  const readAs = async (accept: string) => {
    const answer = await service.send(`${path}/main`, { userId: ownerId, headers: { accept } })
    return {
      type: answer.headers.get('content-type')?.split(';')[0],
      etag: answer.headers.get('etag'),
      text: await answer.text(),
    }
  }
  return { owner, params, readAs, patch: (body: string) => send('PATCH', `${path}/main`, body) }
}

const yaml = { type: 'application/yaml', text: YAML }
const json = { type: 'application/json' }

describe('an automation that was saved as YAML', () => {
  test('is answered as the text that was sent to who asks for it, of the same revision as the JSON', async () => {
    const { readAs } = await savedAs(YAML)
    const text = await readAs('application/yaml')
    expect(text).toMatchObject(yaml)
    expect(await readAs('text/yaml, */*')).toMatchObject(yaml)
    const plain = await readAs('*/*')
    expect(plain).toMatchObject({ ...json, etag: text.etag })
    expect(JSON.parse(plain.text)).not.toHaveProperty('source')
  })

  test('with merge keys has their fields, and comes back as it was written', async () => {
    const text = `slug: main
do:
  - set: &shared { name: a, type: replace, value: 1 }
  - set:
      <<: *shared
      name: b
`
    const { readAs } = await savedAs(text)
    expect(await readAs('application/yaml')).toMatchObject({ ...yaml, text })
    expect(JSON.parse((await readAs('*/*')).text)).toMatchObject({
      do: [{}, { set: { name: 'b', type: 'replace', value: 1 } }],
    })
  })

  test('has another text once it is saved as another, and none once it is changed as JSON', async () => {
    const { owner, params, patch, readAs } = await savedAs(YAML)
    const next = YAML.replace('hello   # to everybody', 'goodbye')
    expect((await patch(next)).status).toBe(200)
    expect(await readAs('application/yaml')).toMatchObject({ ...yaml, text: next })
    await owner(patchAutomation, { params, body: { output: 'other' } })
    expect(await readAs('application/yaml')).toMatchObject(json)
    await owner(patchAutomation, { params, body: { output: 'goodbye' } })
    expect(await readAs('application/yaml')).toMatchObject({ ...yaml, text: next })
  })

  test('has none once a part of it is changed, as YAML as well', async () => {
    const { patch, readAs } = await savedAs(YAML)
    expect((await patch('output: 7\n')).status).toBe(200)
    expect(await readAs('application/yaml')).toMatchObject(json)
  })

  test('has none once a service of the version before has saved it', async () => {
    const { owner, params, readAs } = await savedAs(YAML)
    await service.database.many(sql`
      update workspaces.automations set definition = '{"slug":"main","name":"Main","output":1}', checksum = 'other'
      where workspace_id = ${params.workspaceId}`)
    expect(await readAs('application/yaml')).toMatchObject(json)
    expect(await owner(getAutomation, { params })).toMatchObject({ output: 1 })
  })

  test('shows its places to the runtime, also after it was deleted', async () => {
    const { params, patch } = await savedAs(YAML)
    const live = await service.database.many(sql`
      select places from workspaces.live_automations where workspace_id = ${params.workspaceId}`)
    expect(live).toEqual([{ places: { output: [5, 1] } }])
    await patch(`${YAML}do: []\n`)
    const recorded = await service.database.many(sql`
      select places from workspaces.recorded_definitions
      where workspace_id = ${params.workspaceId} and checksum is not null`)
    expect(recorded).toEqual(live)
  })
})
