import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll } from 'vitest'
import { startGateway, startUpstream, type TestGateway, type Upstream } from './start-gateway.ts'

/** A gateway in front of a service that is not ours, for a whole file. */
export interface Edge {
  gateway: TestGateway
  upstream: Upstream
  /** Sends bytes and reads everything that comes back until the gateway closes. */
  exchange(bytes: string): Promise<string>
  /** A GET of somebody who is signed in, with further lines, that ends the connection. */
  request(path: string, lines?: string): string
}

/** Starts it before the tests of a file; it is there while they run. */
export function useEdge(): () => Edge {
  let edge: Edge | undefined
  beforeAll(async () => {
    const upstream = await startUpstream()
    const gateway = await startGateway({ services: upstream.url })
    const { headers } = await gateway.signIn({ userId: 'ada' })
    const port = Number(new URL(gateway.url).port)
    edge = {
      gateway,
      upstream,
      async exchange(bytes) {
        const socket = connect(port, '127.0.0.1')
        await once(socket, 'connect')
        socket.write(Buffer.from(bytes, 'latin1'))
        return text(socket)
      },
      request: (path, lines = '') =>
        `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${headers.authorization}\r\n` +
        `${lines}Connection: close\r\n\r\n`,
    }
  })
  afterAll(async () => {
    await edge?.gateway[Symbol.asyncDispose]()
    await edge?.upstream[Symbol.asyncDispose]()
  })
  return () => {
    if (edge === undefined) throw new Error('The gateway is not started yet.')
    return edge
  }
}

/** Does something with each of a list, 16 at a time. */
export async function forEach<T>(list: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const waiting = [...list]
  const work = async () => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) await act(one)
  }
  await Promise.all(Array.from({ length: 16 }, work))
}

/**
 * Opens connections one after the other, asks once on each and keeps it; resolves with the statuses, then lets them
 * go.
 */
export async function keptConnections(url: string, count: number): Promise<string[]> {
  const sockets: Socket[] = []
  const statuses: string[] = []
  for (let opened = 0; opened < count; opened += 1) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    const [answer] = (await once(socket, 'data')) as [Buffer]
    statuses.push(answer.toString('latin1').slice(9, 12))
  }
  for (const socket of sockets) socket.destroy()
  return statuses
}
