import { expect, test, vi } from 'vitest'
import { startGateway, startUpstream } from '../testing.ts'

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
