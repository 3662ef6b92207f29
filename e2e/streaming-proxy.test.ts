import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Platform } from '@platform/testing/platform'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { administrator, newWorkspace, saveAutomation } from './support/caller.ts'
import { sharedPlatform } from './support/shapes.ts'

/** A language model that sends its words when the test says so. */
async function startModel() {
  const asked: { readonly body: string; readonly response: ServerResponse }[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
    asked.push({ body, response })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    asked,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Passes on what a model says, and keeps what it has said in all. */
const proxyOf = (url: string) => ({
  slug: 'chat',
  name: 'chat',
  when: { endpoint: true },
  do: [
    {
      fetch: {
        url,
        method: 'post',
        body: { messages: '{{body.messages}}', stream: true },
        output: 'model',
      },
    },
    { set: { name: 'said', value: '' } },
    {
      repeat: {
        on: '{{model.body}}',
        do: [
          { set: { name: 'delta', value: '{{item.chunk.data[0].choices[0].delta.content}}' } },
          {
            conditions: {
              '{{delta}}': [
                { set: { name: 'said', value: '{{said}}{{delta}}' } },
                { set: { name: '$http.chunk', value: { text: '{{delta}}' } } },
              ],
            },
          },
        ],
      },
    },
    { emit: { event: 'chat.answered', payload: { said: '{{said}}' } } },
  ],
  output: { said: '{{said}}' },
})

let platform: Platform
let model: Awaited<ReturnType<typeof startModel>>
let token: string
let workspaceId: string
beforeAll(async () => {
  platform = await sharedPlatform()
  model = await startModel()
  token = (await administrator(platform)).token
  workspaceId = await newWorkspace(platform.origin, token)
  await saveAutomation(platform.origin, token, workspaceId, proxyOf(model.url))
})
afterAll(() => model[Symbol.asyncDispose]())

const sayTo = (response: ServerResponse, content: string): void =>
  void response.write(`data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)

/** Asks through the proxy; answers what comes as it comes, and the model it is asked at. */
async function chat() {
  const before = model.asked.length
  const left = new AbortController()
  const answering = fetch(`${platform.origin}/v2/workspaces/${workspaceId}/webhooks/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ messages: [{ role: 'user', content: 'Hello?' }] }),
    signal: left.signal,
  })
  const { body, response: at } = await vi.waitFor(() => {
    const asked = model.asked[before]
    if (asked === undefined) throw new Error('The model was not asked yet.')
    return asked
  })
  return { answering, body, at, left }
}

test('what a model says comes through word by word, and as a whole at the end', async () => {
  const { answering, body, at } = await chat()
  expect(JSON.parse(body)).toEqual({ messages: [{ role: 'user', content: 'Hello?' }], stream: true })
  sayTo(at, 'Good')
  const answer = await answering
  expect(answer.headers.get('content-type')).toMatch(/^text\/event-stream/)
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader()
  expect((await reader?.read())?.value).toBe('data: {"text":"Good"}\n\n')
  // The model says nothing more before the word before has come through.
  for (const word of [' day', ', you']) {
    sayTo(at, word)
    expect((await reader?.read())?.value).toBe(`data: ${JSON.stringify({ text: word })}\n\n`)
  }
  at.end('data: [DONE]\n\n')
  expect((await reader?.read())?.value).toBe('data: {"said":"Good day, you"}\n\n')
  expect((await reader?.read())?.done).toBe(true)
})

test('a model that breaks off is the last frame of the answer', async () => {
  const { answering, at } = await chat()
  sayTo(at, 'Good')
  const answer = await answering
  at.destroy()
  const text = await answer.text()
  expect(text).toContain('data: {"text":"Good"}\n\n')
  expect(text).toMatch(
    /data: \{"error":"StreamInterrupted","message":"127\.0\.0\.1:\d+ broke its stream off\."\}\n\n$/,
  )
})

test('a reader that leaves ends neither the run nor its stream', async () => {
  const { answering, at, left } = await chat()
  sayTo(at, 'Good')
  await answering
  left.abort()
  for (const word of [' day', '!']) sayTo(at, word)
  at.end()
  await vi.waitFor(async () => {
    const answer = await fetch(`${platform.origin}/v2/workspaces/${workspaceId}/events?types=chat.answered`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(await answer.text()).toContain('Good day!')
  }, 10_000)
})
