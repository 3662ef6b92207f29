import { getApiDescription } from '@platform/contracts'
import { ALL_IN_ONE_SOURCE, startAllInOne } from '@platform/testing/platform'
import { expect, test } from 'vitest'
import { administrator, call, newWorkspace, saveAutomation } from './support/caller.ts'
import { docsAssets } from './support/docs-assets.ts'

const greet = {
  slug: 'greet',
  name: 'greet',
  when: { endpoint: true },
  do: [{ set: { name: 'greeting', value: 'Hello {{body.name}}' } }],
  output: { greeting: '{{greeting}}' },
}

const double = { language: 'js', code: 'return n * 2', parameters: { n: { type: 'number' } } }
const half = { language: 'python', code: 'return n / 2', parameters: { n: { type: 'number' } } }

/** Thirty for a process to start and ten for its code to be checked, on a machine that does much else. */
const STARTING_PYTHON_MS = 60_000

test.each([
  ['npm start, which makes a bundle,', 'scripts/start.mjs'],
  ['its sources, as `npm run dev` does,', ALL_IN_ONE_SOURCE],
])('all in one does the main job by %s on embedded drivers, and ends with 0', async (_, main) => {
  await using platform = await startAllInOne({}, undefined, main)
  const { origin } = platform
  const { token } = await administrator(platform)
  const workspaceId = await newWorkspace(origin, token)
  await saveAutomation(origin, token, workspaceId, greet)
  const path = `/v2/workspaces/${workspaceId}/webhooks/greet`
  const answer = await call(origin, 'POST', path, { token, body: { name: 'Ada' } })
  expect(answer).toMatchObject({ status: 200, json: { greeting: 'Hello Ada' } })

  const functions = `/v2/functions/${workspaceId}`
  const asked = { token, timeoutMs: STARTING_PYTHON_MS }
  for (const [name, body] of Object.entries({ double, half }))
    expect(await call(origin, 'PUT', `${functions}/${name}`, { ...asked, body })).toMatchObject({
      status: 200,
    })
  const run = (name: string, n: number) =>
    call(origin, 'POST', `${functions}/run/${name}`, { ...asked, body: { parameters: { n } } })
  expect((await run('double', 4)).json).toMatchObject({ result: 8 })
  expect((await run('half', 4)).json).toMatchObject({ result: 2 })

  const assets = await docsAssets(origin)
  expect(assets).toHaveLength(5)
  for (const asset of assets) expect(asset).toEqual([asset[0], 200])
  expect((await call(origin, 'GET', getApiDescription.path)).json.openapi).toBe('3.1.0')
  expect((await call(origin, 'GET', '/v2/readiness', { token })).status).toBe(200)
  expect(await platform.process('all-in-one').stop()).toBe(0)
})
