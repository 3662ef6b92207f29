import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { startGateway } from '../../test/start-gateway.ts'

/** A service that holds what it is asked, and says this when it is asked whether it is ready. */
async function startService(readyStatus: number) {
  const asked = Promise.withResolvers<ServerResponse>()
  const probed = Promise.withResolvers<void>()
  const server = createServer((request, response) => {
    if (request.url === '/sys/readyz') {
      response.writeHead(readyStatus, { connection: 'close' }).end()
      probed.resolve()
    } else asked.resolve(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { server, url, asked: asked.promise, probed: probed.promise }
}

describe('an answer under way arrives though its instance has stopped to listen meanwhile', () => {
  it.concurrent.each([
    ['and has said that it leaves', 503],
    ['without a word: nobody may have asked it in time', 200],
  ])('%s', async (_, readyStatus) => {
    const service = await startService(readyStatus)
    await using gateway = await startGateway({ services: service.url })
    const { headers } = await gateway.signIn()
    const answer = fetch(`${gateway.url}/v2/workspaces/one`, { headers })
    const response = await service.asked
    await service.probed
    service.server.close()
    // Longer than until its instance is asked again.
    await setTimeout(2500)
    response.end('done')
    expect([(await answer).status, await (await answer).text()]).toEqual([200, 'done'])
  })
})
