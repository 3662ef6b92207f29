import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Failure } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { expect, test } from 'vitest'
import { Exchange } from '../exchange.ts'
import { OpenStreams } from './open-streams.ts'

const STREAMS = 300

/** Streams that are open, each opened by a request with a credential. */
async function openStreams(credentials: readonly string[]) {
  const streams = new OpenStreams({ max: 10_000, perCaller: 10_000 })
  const log = createLogger({ level: 'silent' })
  const server = createServer((request, response) => {
    const headers = { 'content-type': 'text/event-stream' }
    streams.begun(new Exchange(request, response, log), headers)
    response.writeHead(200, headers).write(': connected\n\n')
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const open = (authorization: string) => fetch(url, { headers: { authorization } })
  const answers = await Promise.all(credentials.map(open))
  return { streams, answers, [Symbol.dispose]: () => void server.close().closeAllConnections() }
}

test('many streams of one credential are one question a round, and end together', async () => {
  const credentials = Array.from({ length: STREAMS }, (_, n) => (n === 0 ? 'eve' : 'ada'))
  using opened = await openStreams(credentials)
  const { streams, answers } = opened
  const ended = new Set<string>()
  const asked: string[] = []
  const job = streams.job(({ request: { headers } }) => {
    asked.push(headers.authorization ?? '')
    if (ended.has(headers.authorization ?? '')) throw new Failure('AuthenticationError', 'It has ended.')
  })
  const signal = new AbortController().signal

  await job.run(signal)
  expect(asked.toSorted()).toEqual(['ada', 'eve'])
  ended.add('ada')
  await job.run(signal)
  expect(asked).toHaveLength(4)
  await Promise.all(answers.slice(1).map((answer) => answer.text()))
  expect(streams.count).toBe(1)
})

test('a round with many credentials is spread over its time, a few questions at once', async () => {
  using opened = await openStreams(Array.from({ length: STREAMS }, (_, n) => `user${n}`))
  const times: number[] = []
  const now = { asking: 0, most: 0 }
  const job = opened.streams.job(async () => {
    times.push(performance.now())
    now.asking += 1
    now.most = Math.max(now.most, now.asking)
    await new Promise((resolve) => setTimeout(resolve, 1))
    now.asking -= 1
  })

  await job.run(new AbortController().signal)
  expect(times).toHaveLength(STREAMS)
  expect(now.most).toBeLessThanOrEqual(20)
  const [first = 0, last = 0] = [Math.min(...times), Math.max(...times)]
  expect(last - first).toBeGreaterThan(200)
})
