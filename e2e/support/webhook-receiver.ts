import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Takes webhooks and remembers, for each event, under which ids it came. */
export async function startReceiver() {
  const webhookIds = new Map<string, Set<string>>()
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    request.once('end', () => {
      const { data } = JSON.parse(text) as { data: { id: string } }
      const ids = webhookIds.get(data.id) ?? new Set()
      webhookIds.set(data.id, ids.add(String(request.headers['webhook-id'])))
      response.end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    webhookIds,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  }
}
