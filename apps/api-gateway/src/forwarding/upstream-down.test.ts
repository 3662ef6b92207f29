import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { describe, expect, test, vi } from 'vitest'
import { answering, startForwarder, startRawUpstream, targetOf } from '../../test/forwarder.ts'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
const READY = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'

/** Room for all that connect at once while an instance listens; three times as many fill its queue. */
const BACKLOG = 8

/** Answers probes, and is told of every other request. */
const service = (handle: (socket: Socket, chunk: Buffer) => void) => (socket: Socket) =>
  void socket.on('data', (chunk) => {
    if (targetOf(chunk) === '/sys/readyz') socket.end(READY)
    else handle(socket, chunk)
  })

async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const startedAt = performance.now()
  return [await work, performance.now() - startedAt]
}

/**
 * An instance that answers probes and holds every other request, until `vanish`: then its queue is full and nobody
 * takes anything from it, so that the kernel drops further attempts while what is open stays open and silent, as when
 * a host has lost its power.
 */
async function startVanishing() {
  const worker = new Worker(
    `const { createServer } = require('node:net'); const { parentPort } = require('node:worker_threads')
     let held = 0
     const server = createServer((socket) => socket.on('error', () => {}).on('data', (chunk) => {
       if (chunk.includes('/sys/readyz')) socket.end(${JSON.stringify(READY)})
       else parentPort.postMessage({ held: (held += 1) })
     })).listen({ port: 0, host: '127.0.0.1', backlog: ${BACKLOG} },
       () => parentPort.postMessage({ port: server.address().port }))
     parentPort.on('message', () => {
       parentPort.postMessage({ gone: true })
       Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30000)
     })`,
    { eval: true },
  )
  let held = 0
  worker.on('message', (message: { held?: number }) => {
    held = message.held ?? held
  })
  const [{ port }] = (await once(worker, 'message')) as [{ port: number }]
  const fillers: Socket[] = []
  return {
    url: `http://127.0.0.1:${port}`,
    held: () => held,
    async vanish() {
      worker.postMessage('vanish')
      await once(worker, 'message')
      for (let n = 0; n < 3 * BACKLOG; n += 1)
        fillers.push(connect(port, '127.0.0.1').on('error', () => undefined))
    },
    async [Symbol.asyncDispose]() {
      for (const socket of fillers) socket.destroy()
      await worker.terminate()
    },
  }
}

describe('a service that is down', () => {
  test('is 503 with Retry-After at once, and again at once', async () => {
    await using forwarder = await startForwarder('http://127.0.0.1:9')
    for (let round = 0; round < 5; round += 1) {
      const [response, ms] = await timed(fetch(forwarder.at('x')))
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1'])
      expect(ms).toBePrompt(1000)
    }
  })

  test('on a host that swallows connections is 503 within 3 s, and then at once', async () => {
    await using hole = await startVanishing()
    await hole.vanish()
    await using forwarder = await startForwarder(hole.url)
    const [first, ms] = await timed(fetch(forwarder.at('x')))
    expect([first.status, first.headers.get('retry-after')]).toEqual([503, '1'])
    expect(ms).toBePrompt(3000)
    const answers = await Promise.all(Array.from({ length: 10 }, () => timed(fetch(forwarder.at('x')))))
    expect(answers.map(([{ status }]) => status)).toEqual(Array(10).fill(503))
    // Without a second in which a connection is tried; one of them may try.
    expect(answers.filter(([, each]) => each < 0.8 * ms).length).toBeGreaterThanOrEqual(9)
  })

  test('is used again within a second of its return', async () => {
    const first = await startRawUpstream(answering(OK))
    const { port } = first
    await first[Symbol.asyncDispose]()
    await using forwarder = await startForwarder(`http://127.0.0.1:${port}`)
    expect((await fetch(forwarder.at('x'))).status).toBe(503)
    await using back = await startRawUpstream(
      service((socket) => socket.write(OK)),
      '127.0.0.1',
      port,
    )
    const startedAt = performance.now()
    await vi.waitFor(async () => expect((await fetch(forwarder.at('x'))).status).toBe(200), { interval: 20 })
    expect(performance.now() - startedAt).toBePrompt(1000)
    expect(back.sockets.size).toBeGreaterThan(0)
  })

  test('that goes away under requests it holds is 503 for them within 3 s', async () => {
    await using host = await startVanishing()
    await using forwarder = await startForwarder(host.url)
    const waiting = Promise.allSettled(
      Array.from({ length: 3 }, () => timed(fetch(forwarder.at('x'), { method: 'POST' }))),
    )
    await vi.waitFor(() => expect(host.held()).toBe(3), { timeout: 10_000 })
    await host.vanish()
    for (const answered of await waiting) {
      if (answered.status === 'rejected') throw answered.reason
      const [response, ms] = answered.value
      expect(response.status).toBe(503)
      expect(ms).toBePrompt(3000)
    }
  })
})

describe.concurrent('a service that is frozen', () => {
  test('is 504 when the time of the route is over, not before', async () => {
    await using raw = await startRawUpstream(() => undefined)
    await using forwarder = await startForwarder(raw.url, { timeoutMs: 1500 })
    const [response, ms] = await timed(fetch(forwarder.at('x'), { method: 'POST' }))
    expect(response.status).toBe(504)
    expect(await response.json()).toMatchObject({ error: 'GatewayTimeout' })
    expect(ms).toBeGreaterThan(1400)
    expect(ms).toBePrompt(2500)
  })

  test('and has taken a part of an upload: 504 too', async () => {
    await using raw = await startRawUpstream((socket) => void socket.pause())
    await using forwarder = await startForwarder(raw.url, { timeoutMs: 1500 })
    const [response] = await timed(
      fetch(forwarder.at('import'), { method: 'POST', body: Buffer.alloc(20_000_000) }),
    )
    expect(response.status).toBe(504)
  })

  test('an answer that has begun may be silent for longer than that', async () => {
    await using raw = await startRawUpstream(
      service((socket) => {
        socket.write(
          'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
        )
        setTimeout(() => socket.write('5\r\nhello\r\n0\r\n\r\n'), 1200)
      }),
    )
    await using forwarder = await startForwarder(raw.url, { timeoutMs: 500 })
    expect(await (await fetch(forwarder.at('x'))).text()).toBe('hello')
  })
})

describe('what is sent again', () => {
  test.each([
    ['GET', '', 2],
    ['HEAD', '', 2],
    ['OPTIONS', '', 2],
    ['DELETE', '', 1],
    ['PUT', '', 1],
    ['PUT', 'body', 1],
    ['POST', '', 1],
    ['POST', 'body', 1],
    ['PATCH', 'body', 1],
    ['DELETE', 'body', 1],
  ])('%s with body "%s": sent %i time(s) when the connection is lost', async (method, body, times) => {
    let count = 0
    await using raw = await startRawUpstream(
      service((socket) => {
        count += 1
        socket.destroy()
      }),
    )
    await using forwarder = await startForwarder(raw.url)
    const response = await fetch(forwarder.at('x'), { method, ...(body === '' ? {} : { body }) })
    expect([response.status, count]).toEqual([503, times])
  })

  test('everything, when no connection could be made and another instance is there', async () => {
    await using upstream = await startRawUpstream(answering(OK))
    for (const method of ['GET', 'POST', 'PATCH', 'DELETE']) {
      await using forwarder = await startForwarder(['http://127.0.0.1:9', upstream.url])
      const answers = await Promise.all(
        Array.from({ length: 6 }, () =>
          fetch(forwarder.at('x'), { method, ...(method === 'GET' ? {} : { body: 'x' }) }),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200))
    }
  })

  test('never an answer that has begun', async () => {
    let count = 0
    await using raw = await startRawUpstream(
      service((socket) => {
        count += 1
        socket.write('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf', () => socket.destroy())
      }),
    )
    await using forwarder = await startForwarder(raw.url)
    await expect(fetch(forwarder.at('x')).then((response) => response.text())).rejects.toThrow()
    expect(count).toBe(1)
  })

  test('no more than a tenth of all, beyond a hundred at once', { timeout: 30_000 }, async () => {
    let count = 0
    await using raw = await startRawUpstream(
      service((socket) => {
        count += 1
        socket.destroy()
      }),
    )
    await using forwarder = await startForwarder(raw.url)
    const budget = forwarder.instances.budget('workspaces')
    let asked = 0
    // One after the other with a good probe between, so that the breaker does not answer instead.
    while (budget.refused === 0 && asked < 400) {
      await fetch(forwarder.at('x'))
      asked += 1
    }
    expect(budget.spent).toBeLessThanOrEqual(100 + asked / 10)
    expect(budget.refused).toBe(1)
    expect(count).toBeLessThanOrEqual(asked + budget.spent)
  })
})

test('an instance that loses connection after connection is left alone until it answers a probe', async () => {
  let count = 0
  let answers = false
  await using raw = await startRawUpstream(
    (socket) =>
      void socket.on('data', (chunk) => {
        if (targetOf(chunk) !== '/sys/readyz') count += 1
        if (answers) socket.write(OK)
        else setTimeout(() => socket.destroy(), 50)
      }),
  )
  await using forwarder = await startForwarder(raw.url)
  for (let round = 0; round < 5; round += 1)
    expect((await fetch(forwarder.at('x'), { method: 'POST' })).status).toBe(503)
  const isOpen = () => [...forwarder.instances.states()].some(({ instance }) => instance.breaker.isOpen)
  expect(isOpen()).toBe(true)
  const before = count
  const burst = await Promise.all(
    Array.from({ length: 20 }, () => fetch(forwarder.at('x'), { method: 'POST' })),
  )
  expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([503]))
  expect(count - before).toBeLessThanOrEqual(2)
  answers = true
  await vi.waitFor(() => expect(isOpen()).toBe(false), { timeout: 3000 })
  expect((await fetch(forwarder.at('x'), { method: 'POST' })).status).toBe(200)
})
