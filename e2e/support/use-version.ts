// Makes a database with a version of the platform: `node e2e/support/use-version.ts <main.js of all in one>`. The
// database is TEST_DATABASE_URL, and what is made there is what e2e/upgrade-data.test.ts looks for.
import { startAllInOne } from '@platform/testing/platform'
import { administrator, call, newWorkspace, saveAutomation } from './caller.ts'

const [, , main = ''] = process.argv
const { TEST_DATABASE_URL = '' } = process.env

await using platform = await startAllInOne({ DATABASE_URL: TEST_DATABASE_URL }, undefined, main)
const { origin } = platform
const { token } = await administrator(platform)
const workspaceId = await newWorkspace(origin, token, 'Made before')
await saveAutomation(origin, token, workspaceId, {
  slug: 'greet',
  name: 'greet',
  when: { endpoint: true },
  do: [{ set: { name: 'greeting', value: 'Hello {{body.name}}' } }],
  output: { greeting: '{{greeting}}' },
})
const path = `/v2/workspaces/${workspaceId}`
const used = [
  await call(origin, 'POST', `${path}/webhooks/greet`, { token, body: { name: 'Ada' } }),
  await call(origin, 'POST', `${path}/events`, {
    token,
    body: { events: [{ type: 'made.before', payload: { n: 1 } }] },
  }),
]
for (const { status, text } of used) if (status !== 200) throw new Error(`${status} ${text}`)
// The log takes events a moment after they were accepted.
await new Promise((resolve) => setTimeout(resolve, 3000))
