import { tryRows, wireRows } from '@platform/testing/wire'
import { expect, test } from 'vitest'
import { startGateway, startUpstream } from '../../test/start-gateway.ts'

test('raw requests get the answers they may have, and what is refused reaches no service', async () => {
  const arrived: string[] = []
  await using upstream = await startUpstream((request, response) => {
    request.resume()
    request.on('end', () => {
      arrived.push(request.url ?? '')
      response.end('{}')
    })
  })
  await using gateway = await startGateway({ services: upstream.url })
  const to = { port: Number(new URL(gateway.url).port), path: '/v2/workspaces/w/webhooks/x', headers: '' }
  const { problems } = await tryRows(wireRows, to, (path) => arrived.filter((url) => url === path).length)
  expect(problems).toEqual({ security: [], strict: [], lenient: [] })
})
