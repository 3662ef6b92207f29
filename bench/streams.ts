import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { processTree, startAllInOne } from '@platform/testing/platform'
import { type Figure, median } from './measure/figure.ts'
import { pssMegabytes } from './measure/processes.ts'
import { workspaceToCall } from './measure/signed-in.ts'

const CALLS = 150
const STREAMS = 1000
const SETTLED_MS = 5000

/** Passes on what a model says, word by word. */
const proxyOf = (url: string) => ({
  slug: 'chat',
  name: 'chat',
  when: { endpoint: true },
  do: [
    { fetch: { url, output: 'model' } },
    {
      repeat: {
        on: '{{model.body}}',
        do: [{ set: { name: '$http.chunk', value: '{{item.chunk.data[0]}}' } }],
      },
    },
  ],
})

/** A model that says a word at once, and no more before it is told to. */
async function startModel() {
  const open = new Set<ServerResponse>()
  const server = createServer((_, response) => {
    open.add(response)
    response.once('close', () => open.delete(response))
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"word":1}\n\n')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    say: (word: number) => {
      for (const response of open) response.write(`data: {"word":${word}}\n\n`)
    },
    end: () => {
      for (const response of open) response.end()
    },
    [Symbol.dispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Reading {
  readonly answer: IncomingMessage
  readonly firstMs: number
}

/** Until the first piece is there. */
function read(url: string, headers: Record<string, string>): Promise<Reading> {
  const startedAt = performance.now()
  return new Promise((resolve, reject) => {
    const asking = request(url, { headers, agent: false }, (answer) => {
      answer.once('data', () => resolve({ answer, firstMs: performance.now() - startedAt }))
      answer.on('error', () => undefined)
    })
    asking.on('error', reject)
    asking.end()
  })
}

/** A run goes on when its reader leaves: the model ends each stream. */
async function firstPieces(url: string, headers: Record<string, string>, end: () => void): Promise<number> {
  const times: number[] = []
  for (let call = 0; call < CALLS; call += 1) {
    const { answer, firstMs } = await read(url, headers)
    answer.resume()
    end()
    times.push(firstMs)
    // The run before has ended when the next one begins.
    await setTimeout(30)
  }
  return median(times.slice(CALLS / 3))
}

/** From the model that says a word to the reader that has it. */
async function passingOn(url: string, headers: Record<string, string>, say: (word: number) => void) {
  const { answer } = await read(url, headers)
  const times: number[] = []
  for (let word = 2; word < CALLS; word += 1) {
    const saidAt = performance.now()
    const heard = new Promise((resolve) => answer.once('data', resolve))
    say(word)
    await heard
    times.push(performance.now() - saidAt)
    await setTimeout(2)
  }
  answer.destroy()
  return median(times)
}

/** Server-sent events of another server, through `fetch`, `repeat` and `$http.chunk`, against the same without us. */
export async function streams(): Promise<Figure[]> {
  using model = await startModel()
  await using platform = await startAllInOne({
    RATE_LIMIT_DISABLED: 'true',
    RATE_LIMIT_FETCHES: '2000',
    RATE_LIMIT_FETCHES_BURST: '2000',
    FETCH_ALLOWED_HOSTS: '127.0.0.0/8',
  })
  const { workspaceId, authorization, post } = await workspaceToCall(platform)
  const base = `/v2/workspaces/${workspaceId}`
  await post(`${base}/automations`, proxyOf(model.url))
  const url = `${platform.origin}${base}/webhooks/chat`
  await firstPieces(url, { authorization }, model.end)
  const direct = await firstPieces(model.url, {}, model.end)
  const through = await firstPieces(url, { authorization }, model.end)
  const passed = await passingOn(url, { authorization }, model.say)
  model.end()
  const tree = () => processTree(...platform.processes.map(({ pid }) => pid))
  await setTimeout(SETTLED_MS)
  const before = pssMegabytes(tree())
  const opened = await Promise.all(Array.from({ length: STREAMS }, () => read(url, { authorization })))
  model.say(2)
  await setTimeout(SETTLED_MS)
  const after = pssMegabytes(tree())
  for (const { answer } of opened) answer.destroy()
  return [
    { name: 'stream: first chunk, added', value: through - direct, unit: 'ms', goal: 3, needed: 8 },
    {
      name: 'stream: a chunk from the other side to the reader',
      value: passed,
      unit: 'ms',
      goal: 3,
      needed: 8,
    },
    {
      name: `stream: memory of ${STREAMS} at once`,
      value: after - before,
      unit: 'MB PSS',
      goal: 60,
      needed: 120,
    },
  ]
}
