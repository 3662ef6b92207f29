import type { Socket } from 'node:net'
import { describe, expect, test, vi } from 'vitest'
import { startForwarder, startRawUpstream, targetOf } from '../../test/forwarder.ts'

/** One of several instances, which can be told to start, to drain, to freeze, to be slow, and silent when probed. */
async function startInstance(name: string, host = '127.0.0.1', port = 0) {
  const state = {
    draining: false,
    starting: false,
    silent: false,
    frozen: false,
    slowMs: 0,
    served: 0,
    probed: 0,
  }
  const answer = (status: string, body: string) =>
    `HTTP/1.1 ${status}\r\ncontent-length: ${body.length}\r\n` +
    `${state.draining ? 'connection: close\r\n' : ''}\r\n${body}`
  const onData = (socket: Socket) => (chunk: Buffer) => {
    if (state.frozen || !chunk.toString('latin1').includes('HTTP/1.1\r\n')) return
    if (targetOf(chunk) === '/sys/readyz') {
      state.probed += 1
      if (state.silent) return
      if (state.starting) return void socket.write(answer('503 Service Unavailable', '{"status":"starting"}'))
      return void socket.write(answer(state.draining ? '503 Service Unavailable' : '200 OK', ''))
    }
    state.served += 1
    if (state.starting) return void socket.write(answer('503 Service Unavailable', ''))
    setTimeout(() => socket.write(answer('200 OK', name)), state.slowMs)
  }
  const raw = await startRawUpstream((socket) => void socket.on('data', onData(socket)), host, port)
  return Object.assign(state, {
    url: raw.url,
    port: raw.port,
    sockets: raw.sockets,
    stop: () => raw[Symbol.asyncDispose](),
  })
}

const asked = async (forwarder: { at(path: string): string }, times: number) => {
  const answers = await Promise.all(
    Array.from({ length: times }, async () => {
      const response = await fetch(forwarder.at('x'), { method: 'POST', body: 'x' })
      return `${response.status} ${response.status === 200 ? await response.text() : ''}`
    }),
  )
  const counts: Record<string, number> = {}
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1
  return counts
}

describe('several instances', () => {
  test('share the requests, and the one that is slow gets fewer', async () => {
    const [one, two] = [await startInstance('one'), await startInstance('two')]
    await using forwarder = await startForwarder([one.url, two.url])
    const even = await asked(forwarder, 100)
    expect(even['200 one']).toBeGreaterThan(25)
    expect(even['200 two']).toBeGreaterThan(25)
    one.slowMs = 300
    const before = { one: one.served, two: two.served }
    const askingOn = async () => {
      for (let time = 0; time < 10; time += 1) await asked(forwarder, 1)
    }
    await Promise.all(Array.from({ length: 10 }, askingOn))
    expect(two.served - before.two).toBeGreaterThan(one.served - before.one)
    await Promise.all([one.stop(), two.stop()])
  })

  test('of more than two, none is forgotten', async () => {
    const all = await Promise.all(['a', 'b', 'c', 'd'].map((name) => startInstance(name)))
    await using forwarder = await startForwarder(all.map(({ url }) => url))
    await asked(forwarder, 200)
    for (const { served } of all) expect(served).toBeGreaterThan(15)
    await Promise.all(all.map(({ stop }) => stop()))
  })

  test('one that drains gets no further requests, finishes those it has, and comes back', async () => {
    const [one, two] = [await startInstance('one'), await startInstance('two')]
    await using forwarder = await startForwarder([one.url, two.url])
    one.slowMs = 1500
    const held = asked(forwarder, 10)
    await vi.waitFor(() => expect(one.served).toBeGreaterThan(0), { timeout: 10_000 })
    one.draining = true
    const states = () => [...forwarder.instances.states()].filter(({ upstream }) => upstream === 'workspaces')
    await vi.waitFor(() => expect(states()[0]?.instance.health).toBe('draining'), { timeout: 10_000 })
    const before = one.served
    expect(await asked(forwarder, 20)).toEqual({ '200 two': 20 })
    expect(one.served).toBe(before)
    expect(Object.keys(await held).every((answer) => answer.startsWith('200'))).toBe(true)
    one.draining = false
    one.slowMs = 0
    await vi.waitFor(async () => expect((await asked(forwarder, 10))['200 one']).toBeGreaterThan(0), {
      timeout: 10_000,
    })
    await Promise.all([one.stop(), two.stop()])
  })

  test('one that freezes is left out within 3 s, and taken back when it moves again', async () => {
    const [one, two] = [await startInstance('one'), await startInstance('two')]
    await using forwarder = await startForwarder([one.url, two.url], { timeoutMs: 2500 })
    one.frozen = true
    await vi.waitFor(async () => expect(await asked(forwarder, 4)).toEqual({ '200 two': 4 }), {
      timeout: 10_000,
    })
    expect(await asked(forwarder, 20)).toEqual({ '200 two': 20 })
    one.frozen = false
    await vi.waitFor(async () => expect((await asked(forwarder, 10))['200 one']).toBeGreaterThan(0), {
      timeout: 10_000,
    })
    await Promise.all([one.stop(), two.stop()])
  })

  test('one that starts gets nothing while the other is only slow to say that it is ready', async () => {
    const [one, two] = [await startInstance('one'), await startInstance('two')]
    await using forwarder = await startForwarder([one.url, two.url], { timeoutMs: 20_000 })
    const healthOf = (which: number) =>
      [...forwarder.instances.states()].filter(({ upstream }) => upstream === 'workspaces')[which]?.instance
        .health
    two.starting = true
    one.silent = true
    await vi.waitFor(() => expect([healthOf(0), healthOf(1)]).toEqual(['frozen', 'starting']), {
      timeout: 10_000,
    })
    const before = two.served
    expect(await asked(forwarder, 20)).toEqual({ '200 one': 20 })
    expect(two.served).toBe(before)
    two.starting = false
    await vi.waitFor(async () => expect((await asked(forwarder, 10))['200 two']).toBe(10), {
      timeout: 10_000,
    })
    await Promise.all([one.stop(), two.stop()])
  })

  test('one that comes back after a kill gets nothing before it says that it is ready', async () => {
    const [one, two] = [await startInstance('one'), await startInstance('two')]
    await using forwarder = await startForwarder([one.url, two.url])
    await two.stop()
    const states = () => [...forwarder.instances.states()].filter(({ upstream }) => upstream === 'workspaces')
    await vi.waitFor(() => expect(states()[1]?.instance.health).toBe('unasked'), { timeout: 10_000 })
    const again = await startInstance('again', '127.0.0.1', two.port)
    again.starting = true
    one.silent = true
    await vi.waitFor(() => expect(states()[0]?.instance.health).toBe('frozen'), { timeout: 10_000 })
    expect(await asked(forwarder, 20)).toEqual({ '200 one': 20 })
    expect(again.served).toBe(0)
    await Promise.all([one.stop(), again.stop()])
  })

  test('one that is killed costs nobody a request, and is found again at its address', async () => {
    const [one, two] = [await startInstance('one'), await startInstance('two')]
    await using forwarder = await startForwarder([one.url, two.url])
    await asked(forwarder, 20)
    await one.stop()
    // Idle connections have ended; whoever is sent there nevertheless finds nobody, and nothing was sent.
    await vi.waitFor(() => expect(one.sockets.size).toBe(0), { timeout: 10_000 })
    expect(await asked(forwarder, 40)).toEqual({ '200 two': 40 })
    const again = await startInstance('again', '127.0.0.1', one.port)
    await vi.waitFor(async () => expect((await asked(forwarder, 10))['200 again']).toBeGreaterThan(0), {
      timeout: 10_000,
    })
    await Promise.all([again.stop(), two.stop()])
  })

  test('are asked whether they are ready only where there are several', async () => {
    const alone = await startInstance('alone')
    await using forwarder = await startForwarder(alone.url)
    await asked(forwarder, 1)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect(alone.probed).toBe(0)
    await alone.stop()
  })
})

describe.concurrent('a name', () => {
  test('stands for all of its addresses, follows its records, and is never asked for by a request', async () => {
    const one = await startInstance('one', '127.0.0.1')
    const two = await startInstance('two', '127.0.0.2', one.port)
    let addresses = ['127.0.0.1']
    let lookUps = 0
    const resolve = async () => {
      lookUps += 1
      return { addresses, ttlSeconds: 1 }
    }
    await using forwarder = await startForwarder(`http://services.example:${one.port}`, { resolve })
    const [atStart, startedAt] = [lookUps, performance.now()]
    expect(await asked(forwarder, 10)).toEqual({ '200 one': 10 })
    // Its records are good for a second, for each of three services.
    const seconds = Math.ceil((performance.now() - startedAt) / 1000)
    expect(lookUps - atStart).toBeLessThanOrEqual(3 * seconds)
    addresses = ['127.0.0.1', '127.0.0.2']
    await vi.waitFor(async () => expect((await asked(forwarder, 20))['200 two']).toBeGreaterThan(0), {
      timeout: 10_000,
    })
    addresses = ['127.0.0.2']
    await vi.waitFor(async () => expect(await asked(forwarder, 20)).toEqual({ '200 two': 20 }), {
      timeout: 10_000,
    })
    await vi.waitFor(() => expect(one.sockets.size).toBe(0), { timeout: 10_000 })
    addresses = []
    await new Promise((resolved) => setTimeout(resolved, 1500))
    expect(await asked(forwarder, 5)).toEqual({ '200 two': 5 })
    await Promise.all([one.stop(), two.stop()])
  })

  test('that stands for one more sends nothing there before it says that it is ready', async () => {
    const one = await startInstance('one', '127.0.0.1')
    const two = await startInstance('two', '127.0.0.2', one.port)
    two.draining = true
    let addresses = ['127.0.0.1']
    const resolve = async () => ({ addresses, ttlSeconds: 1 })
    await using forwarder = await startForwarder(`http://services.example:${one.port}`, { resolve })
    addresses = ['127.0.0.1', '127.0.0.2']
    await vi.waitFor(
      async () => {
        expect(await asked(forwarder, 10)).toEqual({ '200 one': 10 })
        expect(two.probed).toBeGreaterThan(1)
      },
      { timeout: 10_000, interval: 10 },
    )
    expect(two.served).toBe(0)
    two.draining = false
    await vi.waitFor(async () => expect((await asked(forwarder, 20))['200 two']).toBeGreaterThan(0), {
      timeout: 10_000,
    })
    await Promise.all([one.stop(), two.stop()])
  })

  test('that stands for another address ends what waits at the old one in its time', async () => {
    const one = await startInstance('one', '127.0.0.1')
    const two = await startInstance('two', '127.0.0.2', one.port)
    let addresses = ['127.0.0.1']
    const resolve = async () => ({ addresses, ttlSeconds: 1 })
    await using forwarder = await startForwarder(`http://services.example:${one.port}`, {
      resolve,
      timeoutMs: 2500,
    })
    one.frozen = true
    const waiting = fetch(forwarder.at('x'), { method: 'POST', body: 'x' })
    await vi.waitFor(() => expect(one.sockets.size).toBe(1), { timeout: 10_000 })
    addresses = ['127.0.0.2']
    expect((await waiting).status).toBe(504)
    expect(await asked(forwarder, 5)).toEqual({ '200 two': 5 })
    await Promise.all([one.stop(), two.stop()])
  })

  test('is asked for again at once where nothing it stands for takes requests, whatever its records say', async () => {
    const one = await startInstance('one', '127.0.0.1')
    const two = await startInstance('two', '127.0.0.2', one.port)
    let addresses = ['127.0.0.1']
    const resolve = async () => ({ addresses, ttlSeconds: 600 })
    await using forwarder = await startForwarder(`http://services.example:${one.port}`, { resolve })
    await one.stop()
    addresses = ['127.0.0.2']
    // Where an instance takes requests, its name is asked for every five seconds.
    await vi.waitFor(async () => expect(await asked(forwarder, 1)).toEqual({ '200 two': 1 }), {
      timeout: 4000,
      interval: 20,
    })
    await two.stop()
  })

  test('that nobody knows is 503 at once', async () => {
    const resolve = async () => ({ addresses: [], ttlSeconds: 0 })
    await using forwarder = await startForwarder('http://nowhere.example:1', { resolve })
    expect((await fetch(forwarder.at('x'))).status).toBe(503)
  })
})
