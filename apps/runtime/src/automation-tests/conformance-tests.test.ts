import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { openOffline } from './offline.ts'

const folder =
  process.env.CONFORMANCE_DIR ?? fileURLToPath(new URL('../../../../../shared/conformance', import.meta.url))
const valid = `${folder}/automations/valid`
const isThere = existsSync(valid)
if (!isThere) console.warn(`SKIPPED: no automations at ${valid}; set CONFORMANCE_DIR to test them.`)

/** Tests of automations that exist, by their file; each automation is called as its file says, or `main`. */
const tests: Readonly<Record<string, string>> = {
  '003.yml': `
automation: manage-contacts
arguments: { body: { name: Ada, email: ada@example.com, tags: [vip] }, contactId: c1 }
collections: { contacts: [{ id: c1, name: Bob, tags: [] }] }
expect:
  collections:
    contacts:
      inAnyOrder:
        - { id: c1, lastContacted: 2026-01-01T09:00:00.000Z }
        - { name: Ada, tags: [vip] }`,
  '009.yml': `
automation: try-catch-finally
fetches: [{ url: http://example.com/, answer: { body: fine } }]
expect: { events: [], fetches: [{ method: get }] }`,
  '012.yml': `
automation: deep-nesting
tests:
  tells special items apart:
    arguments: { isEnabled: true, items: [{ type: special }, { type: other }] }
    expect: { events: [{ event: item.special, payload: { item: { type: special } } }, item.normal] }
  does nothing where it is off: { arguments: { items: [1] }, expect: { events: [] } }`,
  '020.yml': `
contexts: { config: { slackWebhookUrl: https://hooks.example/slack } }
tests:
  refuses who has no signature:
    endpoint: { path: onHubspotWebhook, body: { deal: { name: A } } }
    expect: { answer: { status: 401, body: { $partial: { error: Unauthorized } } }, fetches: [] }
  tells of a new deal:
    endpoint: { path: onHubspotWebhook, body: { deal: { name: A } }, headers: { X-Hubspot-Signature: s } }
    fetches: [{ url: https://hooks.example/slack, method: post }]
    expect: { fetches: { including: [{ body: { text: { $regex: A } } }] } }`,
  '022.yml': `
endpoint: { path: simpleUserJourney, body: { a: 1 } }
expect:
  answer: { status: 200, body: { content: Doe, requestBody: { a: 1 } } }
  events: [{ event: apps.test, payload: { lastName: John } }]`,
  '023.yml': `
event: summary-event
payload: { data: { a: 1 } }
automations: { OpenAI.chat-completion: { output: { choices: [{ message: { content: Short. } }] } } }
expect:
  output: Short.
  calls: [{ automation: OpenAI.chat-completion, arguments: { model: gpt-4 } }]`,
  '025.yml': `
event: deleteData
automations: { Collection.deleteOne: { output: null } }
tests:
  deletes and tells:
    payload: { data: { _id: a } }
    expect: { events: [initData], calls: [{ arguments: { query: { _id: a } } }] }
  does nothing without an id: { payload: { data: {} }, expect: { events: [], calls: [] } }`,
  '026.yml': `
event: anotherAutomation
payload: { a: 1 }
expect: { output: { a: 1 } }`,
  '028.yml': `
event: config
contexts: { config: { shop: A } }
expect: { output: { shop: A } }`,
  '030.yml': `
event: throw
expect: { error: { error: ObjectNotFoundError, message: { $regex: some unknown automation } } }`,
  '035.yml': `
tests:
  of the old: { endpoint: { path: conditionalOutput, body: { age: 90 } }, expect: { output: Papi ! } }
  of the young: { endpoint: { path: conditionalOutput, body: { age: 3 } }, expect: { output: Marmot ! } }
  of others: { endpoint: { path: conditionalOutput, body: { age: 30 } }, expect: { output: { $regex: force } } }`,
  '036.yml': `
endpoint: conditionallyTransformListToObject
expect: { output: { un: true, deux: true, trois blouh: true, quatre: true } }`,
  '041.yml': `
endpoint: { path: simpleBreak, body: { scope: automation } }
expect: { output: beforeBreak }`,
  '042.yml': `
endpoint: simpleRepeatUntil
expect: { output: [0, 1, 2, 3] }`,
  '043.yml': `
endpoint: { path: simpleWait, body: { event: paid, filters: { payload.id: 7 } } }
later: [{ after: 1s, event: paid, payload: { id: 6 } }, { after: 2s, event: paid, payload: { id: 7, by: Ada } }]
expect: { output: { id: 7, by: Ada } }`,
}

describe('automations that exist', () => {
  test.each(isThere ? Object.entries(tests) : [])('%s does what its tests say', async (file, text) => {
    const automation = readFileSync(`${valid}/${file}`, 'utf8')
    const slug = /^slug: *['"]?([^'"\n]+?)['"]? *$/m.exec(automation)?.[1] ?? 'main'
    const run = await openOffline([{ slug, text: automation }])
    const { results } = await run({ name: file, text })
    expect(
      results.flatMap(({ name, differences }) => differences.map(({ message }) => `${name}: ${message}`)),
    ).toEqual([])
    expect(results.length).toBeGreaterThan(0)
  })

  test('are at least ten', () => expect(Object.keys(tests).length).toBeGreaterThanOrEqual(10))
})
