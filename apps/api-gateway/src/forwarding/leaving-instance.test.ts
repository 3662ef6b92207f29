import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { startGateway } from '../testing.ts'

const asked = Promise.withResolvers<ServerResponse>()
const toldToLeave = Promise.withResolvers<void>()
const service = createServer((request, response) => {
  if (request.url === '/sys/readyz') {
    response.writeHead(503).end()
    toldToLeave.resolve()
  } else asked.resolve(response)
})
afterAll(() => service.close())

test('an answer under way arrives though its instance leaves, and has stopped to listen meanwhile', async () => {
  await once(service.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  await using gateway = await startGateway({ services: url })
  const { headers } = await gateway.signIn()
  const answer = fetch(`${gateway.url}/v2/workspaces/one`, { headers })
  const response = await asked.promise
  await toldToLeave.promise
  service.close()
  // Longer than until its instance is asked again.
  await setTimeout(2500)
  response.end('done')
  expect([(await answer).status, await (await answer).text()]).toEqual([200, 'done'])
})
