import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { OwnCredentials, resolveCaller } from './own-credentials.ts'

const READERS = 1000
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const refusal = { error: 'AuthenticationError', message: 'The token has ended.' }

/** Answers as the gateway does, and remembers what it was asked. */
async function startGateway(ended: Set<string>) {
  const asked: IncomingMessage[] = []
  const server = createServer((request, response) => {
    asked.push(request)
    const isEnded = ended.has(request.headers.authorization ?? '')
    response.writeHead(isEnded ? 401 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isEnded ? refusal : { result: { kind: 'apiKey', apiKeyId: 'k' } }))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { asked, url, [Symbol.dispose]: () => void server.close().closeAllConnections() }
}

test('many readers of one credential in many workspaces are one question, and end together', async () => {
  const ended = new Set<string>()
  using gateway = await startGateway(ended)
  const credentials = new OwnCredentials()
  const job = credentials.job(resolveCaller(gateway.url))
  const signal = new AbortController().signal
  const refused = { ada: 0, eve: 0 }
  const releases = Array.from({ length: READERS }, (_, n) =>
    credentials.watch(bearer('ada'), `workspace${n % 50}`, () => {
      refused.ada += 1
    }),
  )
  credentials.watch(bearer('eve'), 'workspace1', () => {
    refused.eve += 1
  })

  await job.run(signal)
  expect(gateway.asked).toHaveLength(2)
  ended.add('Bearer ada')
  await job.run(signal)
  expect(gateway.asked).toHaveLength(4)
  expect(refused).toEqual({ ada: READERS, eve: 0 })
  for (const release of releases) release()
  await job.run(signal)
  expect(gateway.asked).toHaveLength(5)
})
