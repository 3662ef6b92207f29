import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { startUnderTest } from '../forwarding/processes-under-test.ts'
import { type Figure, median } from '../measure/figure.ts'
import { sendLoad } from '../measure/load.ts'
import { pssMegabytes } from '../measure/processes.ts'
import { growthPerMinute, settled } from '../measure/slope.ts'
import { soakMinutes } from '../measure/soak-minutes.ts'
import { gatewayOfImage } from './image.ts'

const IDLE_CLIENTS = 1000
const SAMPLE_MS = 2000
const minutes = soakMinutes(1)

/** Memory with 1,000 idle keep-alive clients and 64 busy ones, and how it grows while the load lasts. */
export async function memory(): Promise<Figure[]> {
  await using under = await startUnderTest(gatewayOfImage())
  const idle = await Promise.all(Array.from({ length: IDLE_CLIENTS }, () => idleClient(under.gatewayUrl)))
  const load = sendLoad({
    url: `${under.gatewayUrl}/v2/workspaces`,
    method: 'GET',
    headers: { authorization: `Bearer ${under.token}` },
    connections: 64,
    durationMs: minutes * 60_000,
  })
  const samples: number[] = []
  const ended = load.then(() => true)
  while (!(await Promise.race([ended, setTimeout(SAMPLE_MS, false)])))
    samples.push(pssMegabytes([under.gateway.pid]))
  for (const socket of idle) socket.destroy()
  return [
    {
      name: `gateway: memory, ${IDLE_CLIENTS} idle and 64 busy clients`,
      value: median(settled(samples)),
      unit: 'MB PSS',
      goal: 150,
      needed: 150,
    },
    {
      name: `gateway: growth over ${minutes} min of load`,
      value: growthPerMinute(samples, SAMPLE_MS),
      unit: 'MB/min',
      goal: 0.5,
      needed: 0.5,
    },
  ]
}

/** One request, then nothing more. */
async function idleClient(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write(`GET / HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`)
  await once(socket, 'data')
  return socket
}
