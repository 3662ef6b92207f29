import { expect, test } from 'vitest'
import { administrator, call, newWorkspace, saveAutomation } from './support/caller.ts'
import { sharedPlatform } from './support/shapes.ts'

test('an automation calls another by its address, and learns that one is not there', async () => {
  const platform = await sharedPlatform()
  const { origin } = platform
  const { token } = await administrator(platform)
  const workspaceId = await newWorkspace(origin, token)
  const save = (automation: object) => saveAutomation(origin, token, workspaceId, automation)
  await save({ slug: 'answering', when: { endpoint: true }, output: { got: '{{body.n}}' } })
  const at = (name: string, output: string) => ({
    fetch: {
      url: `{{global.apiUrl}}/workspaces/{{global.workspaceId}}/webhooks/${name}`,
      method: 'post',
      body: { n: 7 },
      output,
    },
  })
  await save({
    slug: 'calling',
    when: { endpoint: true },
    do: [at('answering', 'found'), at('nobody', 'missed')],
    output: ['{{found.got}}', '{{missed.error}}'],
  })
  const called = await call(origin, 'POST', `/v2/workspaces/${workspaceId}/webhooks/calling`, { token })
  expect(called.json).toEqual([7, 'ObjectNotFoundError'])
})
