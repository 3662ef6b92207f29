import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { startCounted } from '../test/testing.ts'
import { openOutbound } from './open-outbound.ts'
import { ownLookup } from './own-lookup.ts'

const HEADER_BYTES = 12
const A = 1

/** A name server that knows those that begin with `fine`, denies `none`, and is silent about the rest. */
async function startNameServer() {
  const socket = createSocket('udp4')
  const asked: string[] = []
  socket.on('message', (question, from) => {
    const end = question.indexOf(0, HEADER_BYTES) + 5
    const name = question.subarray(HEADER_BYTES + 1, end - 5).toString()
    asked.push(name)
    if (!/^(fine|none)/.test(name)) return
    const isKnown = name.startsWith('fine') && question.readUInt16BE(end - 4) === A
    const header = Buffer.from(question.subarray(0, HEADER_BYTES))
    header.writeUInt16BE(name.startsWith('none') ? 0x8183 : 0x8180, 2)
    header.writeUInt16BE(isKnown ? 1 : 0, 6)
    header.writeUInt32BE(0, 8)
    const record = Buffer.from([0xc0, HEADER_BYTES, 0, A, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 7])
    const answer = [header, question.subarray(HEADER_BYTES, end), ...(isKnown ? [record] : [])]
    socket.send(Buffer.concat(answer), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    asked,
    server: `127.0.0.1:${socket.address().port}`,
    [Symbol.asyncDispose]: async () => void socket.close(),
  }
}

it('resolves names while hundreds of others never get an answer', async () => {
  await using names = await startNameServer()
  await using server = await startCounted((_request, response) => response.end('found'), '127.0.0.7')
  const lookup = ownLookup(() => false, [names.server])
  await using outbound = openOutbound({ allowed: ['127.0.0.7'], timeoutMs: 3000 }, lookup)
  const stopping = new AbortController()
  const silent: Promise<unknown>[] = []
  for (let n = 0; n < 300; n += 1) {
    const call = outbound.fetch(`http://silent-${n}.example/`, { signal: stopping.signal })
    silent.push(call.catch((error: unknown) => error))
    // More at once than a socket buffers would be lost.
    if (n % 20 === 0) await setTimeout(1)
  }
  expect(names.asked.length).toBeGreaterThan(300)
  const begun = performance.now()
  const response = await outbound.fetch(`http://fine.example:${server.port}/`)
  expect(await response.text()).toBe('found')
  const own = await outbound.fetch(`http://localhost:${server.port}/`).catch((error: Error) => error.message)
  expect(own).toContain('localhost is not a public address')
  expect(performance.now() - begun).toBePrompt(2000)
  stopping.abort()
  await Promise.all(silent)
})

it('says that nobody has a name', async () => {
  await using names = await startNameServer()
  await using outbound = openOutbound(
    { allowed: [] },
    ownLookup(() => false, [names.server]),
  )
  await expect(outbound.fetch('http://none.example/')).rejects.toMatchObject({ cause: { code: 'ENOTFOUND' } })
})

it('leaves names of this machine, and those an operator names, to the system', async () => {
  await using names = await startNameServer()
  const lookup = ownLookup((host) => host === 'fine.internal', [names.server])
  await using outbound = openOutbound({ allowed: [] }, lookup)
  for (const host of ['localhost', 'a.localhost', 'printer', 'fine.internal'])
    await expect(outbound.fetch(`http://${host}:9/`)).rejects.toThrow()
  expect(names.asked).toEqual([])
})
