import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test, vi } from 'vitest'
import { startGateway, startUpstream } from '../../test/start-gateway.ts'

test('one caller has so many event streams and no more; one that ends makes room', async () => {
  await using service = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': connected\n\n')
  })
  await using gateway = await startGateway({
    services: service.url,
    env: { GATEWAY_MAX_STREAMS_PER_CALLER: '2' },
  })
  const [ada, eve] = [await gateway.signIn(), await gateway.signIn()]
  const open = (headers: Record<string, string>) => {
    const leaving = new AbortController()
    const path = `${gateway.url}/v2/workspaces/w1/events/stream`
    return { leaving, answer: fetch(path, { headers, signal: leaving.signal }) }
  }
  const mine = [open(ada.headers), open(ada.headers)]
  for (const { answer } of mine) expect((await answer).status).toBe(200)
  const refused = await open(ada.headers).answer
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  const other = open(eve.headers)
  expect((await other.answer).status).toBe(200)
  mine[0]?.leaving.abort()
  await vi.waitFor(async () => {
    const again = open(ada.headers)
    mine.push(again)
    expect((await again.answer).status).toBe(200)
  })
  for (const { leaving } of [...mine, other]) leaving.abort()
})

test('who leaves before it is known who it is takes no place, and nothing is begun for it', async () => {
  await using service = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(': connected\n\n')
  })
  await using gateway = await startGateway({ services: service.url, env: { GATEWAY_MAX_STREAMS: '5' } })
  const path = '/v2/workspaces/w1/events/stream'
  for (let count = 0; count < 10; count += 1) {
    const somebody = await gateway.signIn()
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    await once(socket, 'connect')
    const headers = Object.entries({ host: 'x', ...somebody.headers }).map((pair) => `${pair.join(': ')}\r\n`)
    socket.end(`GET ${path} HTTP/1.1\r\n${headers.join('')}\r\n`)
    await once(socket.resume(), 'close')
  }
  const ada = await gateway.signIn()
  const leaving = new AbortController()
  const answer = await fetch(gateway.url + path, { headers: ada.headers, signal: leaving.signal })
  expect(answer.status).toBe(200)
  leaving.abort()
})
