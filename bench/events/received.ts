import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startAllInOne } from '@platform/testing/platform'
import type { Figure } from '../measure/figure.ts'
import { workspaceToCall } from '../measure/signed-in.ts'
import { emitter } from './emitter.ts'
import { EvenLoad } from './even-load.ts'

/** From the beginning of the call that emits until a subscriber's endpoint has the event. */
export async function received(): Promise<Figure[]> {
  await using platform = await startAllInOne({ LOG_LEVEL: 'warn', WEBHOOKS_ALLOWED_HOSTS: '127.0.0.1' })
  const workspace = await workspaceToCall(platform)
  const load = new EvenLoad()
  using receiver = await startReceiver((number) => load.heard(number))
  const subscribed = await fetch(`${platform.origin}/v2/workspaces/${workspace.workspaceId}/subscriptions`, {
    method: 'POST',
    headers: { authorization: workspace.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ url: receiver.url, events: ['bench.*'] }),
  })
  if (!subscribed.ok) throw new Error(`Subscribing answered ${subscribed.status}: ${await subscribed.text()}`)
  const emit = emitter(platform.origin, workspace)
  const { p99Ms } = await load.run(emit)
  return [{ name: 'events: emit → webhook received, p99', value: p99Ms, unit: 'ms', goal: 100, needed: 300 }]
}

async function startReceiver(hear: (number: number) => void) {
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    request.once('end', () => {
      hear((JSON.parse(text) as { data: { payload: { n: number } } }).data.payload.n)
      response.end()
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    [Symbol.dispose]: () => void server.close(),
  }
}
