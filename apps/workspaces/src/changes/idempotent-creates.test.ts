import { createAutomation, listApiKeys, listWorkspaces } from '@platform/contracts'
import { sql } from '@platform/database'
import { rounds, startTestService, type TestService, userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startWorkspaces, type TestWorkspaces, unique } from '../../test/testing.ts'
import { workspaces } from '../service.ts'

let service: TestWorkspaces
let second: TestService
beforeAll(async () => {
  service = await startWorkspaces()
  second = await startTestService(workspaces, { databaseUrl: service.env.DATABASE_URL ?? '' })
})
afterAll(async () => {
  await second[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

const post = async (userId: string, path: string, key: string, body: unknown, url = service.url) => {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      ...service.headersOf(userPrincipal({ userId })),
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    text,
    json: JSON.parse(text),
    replayed: response.headers.get('idempotency-replayed'),
    etag: response.headers.get('etag'),
  }
}

it('creates one workspace, whichever instance is asked how often', async () => {
  const ada = unique('ada')
  const ask = (at: number) =>
    post(ada, '/v2/workspaces', 'one', { name: 'Once' }, at % 2 === 0 ? service.url : second.url)
  const answers = await Promise.all(Array.from({ length: rounds(20, 50) }, (_, at) => ask(at)))
  const first = answers.find(({ status, replayed }) => status === 200 && replayed === null)
  for (const { status, text, json } of answers) {
    if (status === 200) expect(text).toBe(first?.text)
    else expect([status, json.error]).toEqual([409, 'IdempotencyKeyInUse'])
  }
  const again = await ask(1)
  expect([again.status, again.text, again.replayed, again.etag]).toEqual([
    200,
    first?.text,
    'true',
    first?.etag,
  ])
  expect(await service.as({ userId: ada })(listWorkspaces, { query: {} })).toHaveLength(1)
})

it('gives the key of a refused automation back, and creates it once', async () => {
  const { workspace, owner, ownerId } = await service.newWorkspace()
  const path = `/v2/workspaces/${workspace.id}/automations`
  await owner(createAutomation, {
    params: { workspaceId: workspace.id },
    body: { slug: 'a', name: 'A', do: [] },
  })
  const taken = await post(ownerId, path, 'key', { slug: 'a', name: 'A', do: [] })
  expect([taken.status, taken.json.error]).toEqual([409, 'AlreadyUsed'])
  const made = await post(ownerId, path, 'key', { slug: 'b', name: 'B', do: [] })
  const again = await post(ownerId, path, 'key', { slug: 'b', name: 'B', do: [] }, second.url)
  expect([made.status, again.status, again.text, again.replayed]).toEqual([200, 200, made.text, 'true'])
})

it('never shows the secret of an API key twice, nor keeps it', async () => {
  const { workspace, owner, ownerId } = await service.newWorkspace()
  const path = `/v2/workspaces/${workspace.id}/security/apikeys`
  const body = { name: 'CI', rules: [{ action: 'read', subject: 'pages' }] }
  const made = await post(ownerId, path, 'key', body)
  const again = await post(ownerId, path, 'key', body, second.url)
  const [listed] = await owner(listApiKeys, { params: { workspaceId: workspace.id }, query: {} })
  expect([again.status, again.json.error, again.json.details]).toEqual([
    409,
    'AlreadyCreated',
    { _id: listed?._id },
  ])
  const rows = await service.database.many(sql`select r::text from idempotency.requests as r`)
  expect(JSON.stringify(rows)).not.toContain(made.json.apiKey)
  expect(JSON.stringify(rows)).not.toContain(made.json.apiKey.slice(-12))
})

it('shows the kept answer to nobody who has lost access', async () => {
  const { workspace } = await service.newWorkspace()
  const eve = unique('eve')
  await service.makeEditor(workspace.id, eve)
  const path = `/v2/workspaces/${workspace.id}/automations`
  const body = { slug: 'a', name: 'A', do: [] }
  expect((await post(eve, path, 'key', body)).status).toBe(200)
  await service.database.many(sql`
    delete from permissions.members where workspace_id = ${workspace.id} and user_id = ${eve}`)
  await expect.poll(async () => (await post(eve, path, 'key', body)).status, { timeout: 5000 }).toBe(404)
})
