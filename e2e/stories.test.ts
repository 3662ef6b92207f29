import { execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Platform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { sampleAutomations } from '../apps/workspaces/src/sample-workspace/create-sample-workspace.ts'
import { administrator, call, feed, saveAutomation } from './support/caller.ts'
import { sharedPlatform } from './support/shapes.ts'

let platform: Platform
let token: string
let outside: Server
/** What was asked of the servers of the stories. */
const asked: { url: string | undefined; authorization: string | undefined; body: Record<string, unknown> }[] =
  []

beforeAll(async () => {
  platform = await sharedPlatform()
  ;({ token } = await administrator(platform))
  outside = createServer(async (request, response) => {
    const body = await readJson(request)
    const { url, headers } = request
    asked.push({ url, authorization: headers.authorization, body })
    if (url === '/chat') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const delta of ['Over ', 'the ', 'hill.']) response.write(`data: ${JSON.stringify({ delta })}\n\n`)
      response.end('data: [DONE]\n\n')
      return
    }
    const answer =
      url === '/checkouts' ? { url: `https://pay.example/${body.reference}` } : { label: 'question' }
    response.writeHead(url === '/checkouts' ? 201 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
})
afterAll(() => outside.close())

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  let text = ''
  for await (const piece of request) text += piece
  return text === '' ? {} : JSON.parse(text)
}

const outsideUrl = () => `http://127.0.0.1:${(outside.address() as AddressInfo).port}`

const folderOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** The files of a folder by their names. */
const filesOf = (folder: string, ends: (name: string) => boolean) =>
  readdirSync(folder)
    .filter(ends)
    .map((name) => ({ name, text: readFileSync(`${folder}/${name}`, 'utf8') }))

const isTest = (name: string) => name.endsWith('.test.yml')
const isAutomation = (name: string) => name.endsWith('.yml') && !isTest(name)

/** A workspace with the automations of an example, as whoever tries it would make it. */
async function workspaceOf(
  example: string,
  value: Record<string, unknown>,
  functions: Readonly<Record<string, readonly string[]>> = {},
) {
  const { origin } = platform
  const folder = folderOf(`docs/examples/${example}`)
  const made = await call(origin, 'POST', '/v2/workspaces', {
    token,
    body: { name: example, config: { value } },
  })
  const id: string = made.json.id
  for (const [name, names] of Object.entries(functions)) {
    const code = readFileSync(`${folder}/${name}.js`, 'utf8')
    const body = { language: 'js', code, parameters: Object.fromEntries(names.map((one) => [one, {}])) }
    const saved = await call(origin, 'PUT', `/v2/functions/${id}/${name}`, { token, body })
    expect([saved.status, saved.json.name]).toEqual([200, name])
  }
  for (const { name, text } of filesOf(folder, isAutomation)) {
    const slug = name.replace(/\.yml$/, '')
    const headers = { 'content-type': 'application/yaml' }
    const saved = await call(origin, 'POST', `/v2/workspaces/${id}/automations`, {
      token,
      headers,
      raw: `slug: ${slug}\n${text}`,
    })
    expect(saved.text).toContain(slug)
    expect([saved.status, saved.json.warnings ?? []]).toEqual([200, []])
  }
  return {
    id,
    folder,
    send: (method: string, path: string, options: Parameters<typeof call>[3] = {}) =>
      call(origin, method, `/v2/workspaces/${id}${path}`, { token, ...options }),
    events: (types: string) => feed(origin, token, id, `types=${types}`),
  }
}

/** What the tests of a folder find, through the API. */
async function failuresIn(workspaceId: string, folder: string): Promise<string[]> {
  const files = filesOf(folder, isTest)
  const { status, json } = await call(platform.origin, 'POST', `/v2/workspaces/${workspaceId}/tests`, {
    token,
    body: { files },
  })
  expect([status, json.message]).toEqual([200, undefined])
  expect(json.passed).toBeGreaterThanOrEqual(files.length)
  return json.results.flatMap(({ name, differences }: { name: string; differences: { message: string }[] }) =>
    differences.map(({ message }) => `${name}: ${message}`),
  )
}

test('the sample workspace passes its tests', async () => {
  const made = await call(platform.origin, 'POST', '/v2/workspaces', { token, body: { name: 'Sample' } })
  for (const automation of sampleAutomations)
    await saveAutomation(platform.origin, token, made.json.id, automation)
  expect(await failuresIn(made.json.id, folderOf('apps/workspaces/src/sample-workspace'))).toEqual([])
})

describe('an order with payment and reminder', { timeout: 60_000 }, () => {
  const order = { article: 'pen', price: 3, email: 'ada@example.com' }

  test('is placed, waited for, and closed when the payment server says that it is paid', async () => {
    const shop = await workspaceOf('order-with-payment', { payments: outsideUrl(), patience: '30s' })
    expect(await failuresIn(shop.id, shop.folder)).toEqual([])

    const refused = await shop.send('POST', '/webhooks/orders', { body: { ...order, price: 0 } })
    expect([refused.status, refused.json.error]).toEqual([400, 'InvalidArgumentsError'])
    const placed = await shop.send('POST', '/webhooks/orders', { body: order })
    expect(placed.status).toBe(201)
    const { order: id } = placed.json
    expect(placed.json.pay).toBe(`https://pay.example/${id}`)
    expect(asked.at(-1)?.body).toEqual({ reference: id, amount: 3 })

    await vi.waitFor(
      async () => {
        const { json } = await shop.send('GET', '/runs?automation=follow-order')
        expect(json.runs[0]).toMatchObject({ status: 'waiting', waitsFor: { kind: 'event' } })
      },
      { timeout: 15_000, interval: 100 },
    )
    expect((await shop.send('POST', '/webhooks/payments', { body: { reference: 'none' } })).status).toBe(404)
    const heard = await shop.send('POST', '/webhooks/payments', { body: { reference: id } })
    expect(heard.json).toEqual({ received: true })
    await vi.waitFor(
      async () => {
        const [closed] = await shop.events('order.closed')
        expect(closed?.payload).toEqual({ order: id, state: 'paid' })
      },
      { timeout: 15_000, interval: 100 },
    )
    expect(await shop.events('order.reminded')).toEqual([])

    const started = await shop.send('POST', '/schedules/daily-report/0/run')
    expect(started.status).toBe(200)
    await vi.waitFor(
      async () => {
        const [reported] = await shop.events('orders.reported')
        expect(reported?.payload).toEqual({ open: 0, total: 0 })
      },
      { timeout: 15_000, interval: 100 },
    )
  })

  test('is reminded of once, and given up in the end', async () => {
    const shop = await workspaceOf('order-with-payment', { payments: outsideUrl(), patience: '1s' })
    const placed = await shop.send('POST', '/webhooks/orders', { body: order })
    await vi.waitFor(
      async () => {
        const [closed] = await shop.events('order.closed')
        expect(closed?.payload).toEqual({ order: placed.json.order, state: 'given up' })
      },
      { timeout: 20_000, interval: 200 },
    )
    expect(await shop.events('order.reminded')).toHaveLength(1)
  })
})

test('an operator runs tests of a directory on the platform, with a token and no more', async () => {
  const { origin } = platform
  const made = await call(origin, 'POST', '/v2/workspaces', { token, body: { name: 'Directory' } })
  const directory = folderOf('docs/examples/order-with-payment')
  const args = ['automations', 'test', directory, '--workspace', made.json.id, '--url', `${origin}/v2`]
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [folderOf('apps/ops/src/main.ts'), ...args],
    {
      env: { PATH: process.env.PATH, PLATFORM_TOKEN: token },
    },
  )
  expect(stdout).toMatch(/^All +24\/24 +100 %$/m)
  expect(stdout).toMatch(/^9 passed/m)
})

describe('a streaming proxy of a language model', { timeout: 60_000 }, () => {
  test('passes on what the model says as it says it, and works out the price in code', async () => {
    const functions = { messagesFor: ['question', 'history'], costOf: ['text', 'pricePerWord'] }
    const value = { model: outsideUrl(), pricePerWord: 0.5 }
    const proxy = await workspaceOf('language-model-proxy', value, functions)
    expect(await failuresIn(proxy.id, proxy.folder)).toEqual([])
    const { status, headers, text } = await proxy.send('POST', '/webhooks/chat', {
      body: { question: ' Where? ' },
    })
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    const chunks = [...text.matchAll(/^data: (.*)$/gm)].map(([, json = '']) => JSON.parse(json))
    expect(chunks).toEqual([
      { delta: 'Over ' },
      { delta: 'the ' },
      { delta: 'hill.' },
      { text: 'Over the hill.', words: 3 },
    ])
    await vi.waitFor(
      async () => {
        const [answered] = await proxy.events('question.answered')
        expect(answered?.payload).toEqual({ words: 3, price: 1.5 })
      },
      { timeout: 15_000, interval: 100 },
    )
    expect(asked.at(-1)).toMatchObject({
      url: '/chat',
      body: { stream: true, messages: [{ role: 'system' }, { role: 'user', content: 'Where?' }] },
    })
  })
})

describe('a signed webhook receiver', { timeout: 60_000 }, () => {
  test('takes what is signed, calls a paid API with a secret, and no more than its limit', async () => {
    const signingKey = 'key-of-the-story'
    const receiver = await workspaceOf('signed-webhook', { classifier: outsideUrl() })
    expect(await failuresIn(receiver.id, receiver.folder)).toEqual([])
    for (const [name, key] of Object.entries({ classifierKey: 'sk-of-the-story', signingKey })) {
      const kept = await receiver.send('POST', '/test/keep-key', { body: { payload: { name, key } } })
      expect(kept.status).toBe(200)
    }

    const post = (id: string, sign = (raw: string) => raw) => {
      const raw = JSON.stringify({ id, sender: 'ada', text: 'Where is my order?' })
      const signature = createHmac('sha256', signingKey).update(sign(raw)).digest('hex')
      const headers = { 'content-type': 'application/json', 'x-signature': signature }
      return receiver.send('POST', '/webhooks/incoming', { raw, headers })
    }
    expect((await post('m1', () => 'another body')).status).toBe(401)
    const taken = await post('m1')
    expect([taken.status, taken.json]).toEqual([202, { label: 'question' }])
    expect(asked.at(-1)).toMatchObject({
      url: '/classify',
      authorization: 'Bearer sk-of-the-story',
      body: { text: 'Where is my order?' },
    })
    expect((await post('m1')).status).toBe(202)
    const third = await post('m2')
    expect(third.status).toBe(429)
    expect(Number(third.headers.get('retry-after'))).toBeGreaterThan(0)

    // Nothing that anybody can read of it has the secret.
    const runs = await receiver.send('GET', '/runs?limit=50')
    const events = await feed(platform.origin, token, receiver.id)
    const shown = JSON.stringify([runs.json, events])
    for (const secret of ['sk-of-the-story', signingKey]) expect(shown).not.toContain(secret)
  })
})
