import { randomBytes, randomInt } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { closeCodes, closeFrame, FrameEdges, Tunnel } from './tunnel.ts'

/** Two ends of one connection: what the test holds, and what the tunnel holds. */
async function pair(): Promise<[far: Socket, near: Socket]> {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const far = connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined)
  const [near] = (await once(server, 'connection')) as [Socket]
  server.close()
  return [far, near]
}

async function openTunnel(idleMs = 60_000) {
  const [client, clientNear] = await pair()
  const [service, serviceNear] = await pair()
  const done = vi.fn()
  const tunnel = new Tunnel(clientNear, serviceNear, idleMs, done)
  let got = Buffer.alloc(0)
  client.on('data', (chunk) => {
    got = Buffer.concat([got, chunk])
  })
  return { tunnel, client, service, done, got: () => got }
}

describe('a tunnel', () => {
  test('is ended with a close frame between two frames', async () => {
    const { tunnel, client, service, done, got } = await openTunnel()
    service.write(Buffer.from([0x81, 2, 0x68, 0x69]))
    await vi.waitFor(() => expect(got()).toHaveLength(4))
    tunnel.end(closeCodes.goingAway)
    await vi.waitFor(() => expect(client.closed).toBe(true))
    expect(got().subarray(4)).toEqual(closeFrame(1001))
    await vi.waitFor(() => expect(done).toHaveBeenCalledTimes(1))
    expect(service.destroyed || service.readableEnded || service.closed).toBeDefined()
  })

  test('is ended without one in the middle of a frame, which would be read as its content', async () => {
    const { tunnel, client, service, got } = await openTunnel()
    service.write(Buffer.from([0x81, 5, 0x68]))
    await vi.waitFor(() => expect(got()).toHaveLength(3))
    tunnel.end(closeCodes.goingAway)
    await vi.waitFor(() => expect(client.closed).toBe(true))
    expect(got()).toHaveLength(3)
  })

  test('is ended when nobody says anything for long, and not while somebody does', async () => {
    const { client, service, done, got } = await openTunnel(300)
    service.resume()
    const talking = setInterval(() => client.write('x'), 100)
    await new Promise((resolve) => setTimeout(resolve, 800))
    expect(client.closed).toBe(false)
    clearInterval(talking)
    await vi.waitFor(() => expect(client.closed).toBe(true), { timeout: 3000 })
    expect(got()).toEqual(closeFrame(1001))
    await vi.waitFor(() => expect(done).toHaveBeenCalledTimes(1))
  })

  test('reads no faster from the service than the client takes it', async () => {
    const { client, service } = await openTunnel()
    client.pause()
    let sent = 0
    const pour = () => {
      while (sent < 200_000_000 && service.write(Buffer.alloc(65_536))) sent += 65_536
    }
    service.on('drain', pour)
    pour()
    let before = -1
    await vi.waitFor(
      () => {
        const last = before
        before = sent
        expect(sent).toBe(last)
      },
      { timeout: 10_000, interval: 200 },
    )
    expect(sent).toBeLessThan(50_000_000)
    client.destroy()
    service.destroy()
  })
})

test('the edges of frames are found however the bytes are cut', () => {
  const frame = (length: number) => {
    const head =
      length < 126
        ? Buffer.from([0x82, length])
        : length < 65_536
          ? Buffer.from([0x82, 126, length >> 8, length & 255])
          : Buffer.concat([
              Buffer.from([0x82, 127, 0, 0, 0, 0]),
              Buffer.from(new Uint32Array([length]).buffer).reverse(),
            ])
    return Buffer.concat([head, randomBytes(length)])
  }
  for (let round = 0; round < 200; round += 1) {
    const frames = [0, 1, 125, 126, 127, 65_535, 65_536, 70_000, randomInt(200_000)].map(frame)
    const ends = new Set<number>()
    let length = 0
    for (const each of frames) {
      length += each.length
      ends.add(length)
    }
    const bytes = Buffer.concat(frames)
    const edges = new FrameEdges()
    let at = 0
    while (at < bytes.length) {
      const next = Math.min(bytes.length, at + 1 + randomInt(40_000))
      edges.passed(bytes.subarray(at, next))
      at = next
      expect(edges.isBetweenFrames).toBe(ends.has(at))
    }
    expect(edges.isBetweenFrames).toBe(true)
  }
})
