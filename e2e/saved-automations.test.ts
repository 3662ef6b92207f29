import type { Platform } from '@platform/testing/platform'
import { beforeAll, describe, expect, test } from 'vitest'
import { administrator, call, feed, newWorkspace, saveAutomation } from './support/caller.ts'
import { sharedPlatform } from './support/shapes.ts'

let platform: Platform
let token: string
let workspaceId: string
const send = (method: string, path: string, options: Parameters<typeof call>[3] = {}) =>
  call(platform.origin, method, `/v2/workspaces/${workspaceId}${path}`, { token, ...options })
const save = (automation: object) => saveAutomation(platform.origin, token, workspaceId, automation)

beforeAll(async () => {
  platform = await sharedPlatform()
  ;({ token } = await administrator(platform))
  workspaceId = await newWorkspace(platform.origin, token)
})

const saying = (output: unknown) => ({ when: { endpoint: true }, do: [], output })

describe('a saved automation', { timeout: 120_000 }, () => {
  test('runs as it was saved with the next call, in 100 rounds', async () => {
    await save({ slug: 'main', ...saying(-1) })
    for (let round = 0; round < 100; round += 1) {
      const saved = await send('PATCH', '/automations/main', { body: { output: round } })
      expect([saved.status, (await send('POST', '/webhooks/main')).json]).toEqual([200, round])
    }
  })

  test('is there with the next call when it is new, renamed or deleted, in 30 rounds', async () => {
    for (let round = 0; round < 30; round += 1) {
      expect((await send('POST', `/webhooks/new-${round}`)).status).toBe(404)
      await save({ slug: `new-${round}`, ...saying(round) })
      expect((await send('POST', `/webhooks/new-${round}`)).json).toBe(round)
      await send('PATCH', `/automations/new-${round}`, { body: { slug: `other-${round}` } })
      expect((await send('POST', `/webhooks/new-${round}`)).status).toBe(404)
      expect((await send('POST', `/webhooks/other-${round}`)).json).toBe(round)
      expect((await send('DELETE', `/automations/other-${round}`)).status).toBe(200)
      expect((await send('POST', `/webhooks/other-${round}`)).status).toBe(404)
    }
  })
})

describe.each([
  ['/', 'v1/status'],
  ['%2F', 'v1%2Fstatus'],
])('an automation whose slug has a slash, written %s,', (_, path) => {
  test('is read, changed, tested, called and deleted', async () => {
    await save({ slug: 'v1/status', ...saying('old') })
    expect((await send('GET', `/automations/${path}`)).json).toMatchObject({ slug: 'v1/status' })
    const patched = await send('PATCH', `/automations/${path}`, { body: { output: 'new' } })
    expect(patched.json).toMatchObject({ output: 'new' })
    expect((await send('POST', `/test/${path}`, { body: {} })).json).toBe('new')
    expect((await send('POST', `/webhooks/${path}`)).json).toBe('new')
    expect((await send('DELETE', `/automations/${path}`)).json).toEqual({ slug: 'v1/status' })
    expect((await send('GET', `/automations/${path}`)).status).toBe(404)
  })
})

test('a URL trigger that says so runs once for an Idempotency-Key', async () => {
  const when = { endpoint: { path: 'pay/:id', idempotent: true } }
  const count = { set: { name: 'global.paid', value: '{% {{global.paid}} + 1 %}' } }
  await save({ slug: 'pay', when, do: [count], output: '{{global.paid}}' })
  const pay = (key: string) =>
    send('POST', '/webhooks/pay/7', { headers: { 'idempotency-key': key }, body: { n: 1 } })
  const [first, again, other] = [await pay('one'), await pay('one'), await pay('two')]
  expect([first.status, again.json, again.headers.get('idempotency-replayed')]).toEqual([
    200,
    first.json,
    'true',
  ])
  expect(other.json).not.toEqual(first.json)
})

describe('a run that failed', () => {
  const yaml = `slug: fails
when: { events: [test.fails] }
do:
  - conditions:
      "{{payload.at}} == 'nested'":
        - try:
            do:
              - repeat:
                  on: [1]
                  do:
                    - all:
                        - helper: {}
            finally: []
  - runWorkflow: { workflow: missing }
`
  const helper = `slug: helper
# Who calls it learns of this place.
do:
  - set: { name: global.list, value: [] }
  -
    runWorkflow:
      workflow: missing
`
  const saveYaml = async (text: string) =>
    expect(
      await send('POST', '/automations', { raw: text, headers: { 'content-type': 'application/yaml' } }),
    ).toMatchObject({ status: 200 })

  /** The failure in the record of the newest run, and in its event. */
  const failure = async () => {
    const { runs } = (await send('GET', '/runs?automation=fails&status=failed&limit=1')).json
    const [event] = await feed(platform.origin, token, workspaceId, 'types=error')
    return { record: runs[0]?.error, event: event?.payload?.details }
  }

  test('names line and column of the YAML, in its record and its event', { timeout: 30_000 }, async () => {
    await saveYaml(helper)
    await saveYaml(yaml)
    const emit = (at: string) =>
      send('POST', '/events', { body: { events: [{ type: 'test.fails', payload: { at } }] } })

    await emit('top')
    const top = { automationSlug: 'fails', instruction: 'do[1].runWorkflow', line: 14, column: 5 }
    await expect.poll(failure, { timeout: 10_000 }).toMatchObject({ record: top, event: top })

    await emit('nested')
    const nested = { automationSlug: 'helper', instruction: 'do[1].runWorkflow', line: 6, column: 5 }
    await expect.poll(failure, { timeout: 10_000 }).toMatchObject({ record: nested, event: nested })

    await send('PATCH', '/automations/helper', { body: { do: [{ missing: {} }] } })
    await emit('nested')
    await expect
      .poll(failure, { timeout: 10_000 })
      .toMatchObject({ record: { instruction: 'do[0].missing', automationSlug: 'helper' } })
    expect((await failure()).record).not.toHaveProperty('line')
  })
})
