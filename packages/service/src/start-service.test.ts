import { once } from 'node:events'
import { connect } from 'node:net'
import { type Env, readConfig } from '@platform/config'
import { StoreError, systemClock } from '@platform/kernel'
import { createLogger } from '@platform/logging'
import { describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { credentials, type TinyOptions, tinyService } from '../test/testing.ts'
import { Resources, type Service, type ServiceParts, startService } from './index.ts'
import { StartInterrupted } from './retry-until-available.ts'

const log = createLogger({ level: 'silent' })
const context = { log, clock: systemClock, version: '1.2.3', development: true }

async function start(
  options: TinyOptions & {
    drainDelayMs?: number
    env?: Env
    others?: () => Promise<unknown>
    change?: (service: Service) => Service
  } = {},
) {
  const tiny = tinyService(options)
  const resources = new Resources(log, { development: true })
  const stopping = new AbortController()
  const service = options.change?.(tiny.service) ?? tiny.service
  const { drainDelayMs = 0, others = async () => undefined } = options
  const start = { drainDelayMs, others, signal: stopping.signal }
  const running = startService(service, options.env ?? {}, resources, context, start)
  return { ...tiny, running, stopping }
}
const get = (url: string, headers: Record<string, string> = credentials) => fetch(url, { headers })

/** A free port, and the address of a service that will listen there. */
async function addressOf(): Promise<{ env: Env; url: string }> {
  const { running } = await start()
  await using service = await running
  return { env: { PORT: new URL(service.url).port }, url: service.url }
}

describe('starting a service', () => {
  test('goes through build, listening, required jobs and ready, in this order', async () => {
    const steps: string[] = []
    const note = (step: string) => void steps.push(step)
    const { env, url } = await addressOf()
    let tries = 0
    const parts: Partial<ServiceParts> = {
      jobs: [
        {
          name: 'first key',
          everyMs: 1_000_000,
          requiredAtStart: true,
          async run() {
            note(`job ${(await get(`${url}/sys/readyz`)).status}`)
            tries += 1
            if (tries < 2) throw new Error('not yet')
          },
        },
      ],
      started: async () => note(`started ${(await get(`${url}/sys/readyz`)).status}`),
    }
    const { running } = await start({ parts, note, env })
    await using _ = await running
    expect(steps).toEqual(['build', 'job 503', 'job 503', 'started 200'])
  })

  test('is not ready before what it is no use without, and ends when that fails or it is told to stop', async () => {
    const { env, url } = await addressOf()
    const asksReady = async () => (await get(`${url}/sys/readyz`)).status
    const elsewhere = Promise.withResolvers<void>()
    const { running } = await start({ env, others: () => elsewhere.promise })
    await vi.waitFor(async () => expect((await get(`${url}/hello`)).status).toBe(200))
    expect(await asksReady()).toBe(503)
    elsewhere.resolve()
    const service = await running
    expect(await asksReady()).toBe(200)
    await service[Symbol.asyncDispose]()

    const failing = await start({ env, others: () => Promise.reject(new Error('not there')) })
    await expect(failing.running).rejects.toThrow('not there')
    const stopped = await start({ env, others: () => new Promise(() => undefined) })
    stopped.stopping.abort()
    await expect(stopped.running).rejects.toThrow(StartInterrupted)
    await expect(get(url)).rejects.toThrow()
  })

  test('answers its routes, its health and its metrics', async () => {
    await using service = await (await start()).running
    const status = async (path: string, headers = credentials as Record<string, string>) =>
      (await get(service.url + path, headers)).status
    expect(await (await get(`${service.url}/hello`)).json()).toEqual({ hello: true })
    expect(await status('/hello', {})).toBe(401)
    expect([await status('/sys/livez', {}), await status('/sys/readyz', {})]).toEqual([200, 200])
    expect([await status('/sys/readiness', {}), await status('/metrics', {})]).toEqual([401, 401])
    expect(await status('/metrics', { 'x-platform-api-key': credentials['x-platform-internal-key'] })).toBe(
      200,
    )
    expect(await (await get(`${service.url}/sys/readiness`)).json()).toEqual({
      status: 'ready',
      modulesReady: [{ module: 'cache', driver: 'memory' }],
    })
    expect((await fetch(`${service.url}/sys/livez`, { method: 'HEAD' })).status).toBe(200)
    expect([await status('/sys/else', {}), await status('/sys/else')]).toEqual([401, 404])
    expect(await (await get(`${service.url}/metrics`)).text()).toContain('platform_http_requests_total')
  })

  test('leaves every other /sys path to the front of the gateway', async () => {
    const front: NonNullable<ServiceParts['front']> = () => (request, response) =>
      response.writeHead(404).end(`front ${request.url}`)
    await using service = await (await start({ parts: { front } })).running
    const post = await fetch(`${service.url}/sys/livez`, { method: 'POST' })
    expect([post.status, await post.text()]).toEqual([404, 'front /sys/livez'])
    expect(await (await get(`${service.url}/sys/cleanup`)).text()).toBe('front /sys/cleanup')
  })

  test('listens while a store is down, says so, and works once it is there', async () => {
    const { env, url } = await addressOf()
    const { running, stopping } = await start({ name: 'api-gateway', failures: 1, env })
    await vi.waitFor(async () => expect((await get(`${url}/sys/livez`)).status).toBe(200))
    expect((await get(`${url}/sys/readyz`)).status).toBe(503)
    expect(await (await get(`${url}/`)).json()).toEqual({
      status: 'ok',
      name: 'api-gateway',
      version: '1.2.3',
    })
    const waiting = await get(`${url}/hello`)
    expect([waiting.status, waiting.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await waiting.json()).toEqual({
      error: 'ServiceUnavailable',
      message: 'The service is starting: try again shortly.',
    })
    expect(waiting.headers.get('x-correlation-id')).toMatch(/^[0-9a-f]{32}$/)
    await using service = await running
    expect((await get(`${service.url}/hello`)).status).toBe(200)
    stopping.abort()
  })

  test('reports which store it waits for, to the platform only', async () => {
    const { env, url } = await addressOf()
    const key = 'internal-key-of-the-tests-0123456789'
    const waiting = { name: 'api-gateway', failures: 1000, env: { ...env, INTERNAL_API_KEY: key } } as const
    const { running, stopping } = await start(waiting)
    const asked = (path: string) => get(url + path, { 'x-platform-api-key': key })
    const error = {
      error: 'DatabaseError',
      module: 'database',
      driver: 'postgres',
      message:
        'connect ECONNREFUSED: see that it runs and can be reached from here, or correct DATABASE_URL.',
    }
    const report = { status: 'error', modulesReady: [], errors: [error] }
    await vi.waitFor(async () => expect(await (await asked('/sys/readiness')).json()).toEqual(report))
    const platform = await asked('/v2/readiness?services=events')
    expect([platform.status, await platform.json()]).toEqual([
      400,
      { status: 'error', services: { 'api-gateway': report } },
    ])
    for (const path of ['/sys/readiness', '/v2/readiness'])
      expect((await get(url + path, {})).status).toBe(503)
    stopping.abort()
    await expect(running).rejects.toThrow()
  })

  test('ends at once when the process is told to stop while a store is down', async () => {
    const { env, url } = await addressOf()
    const { running, stopping } = await start({ failures: 1000, env })
    await vi.waitFor(async () => expect((await get(`${url}/sys/livez`)).status).toBe(200))
    stopping.abort()
    await expect(running).rejects.toMatchObject({ name: 'StartInterrupted' })
    await expect(get(`${url}/sys/livez`)).rejects.toThrow()
  })

  test('that fails closes what it has opened', async () => {
    const { env, url } = await addressOf()
    const { running } = await start({
      env,
      parts: { started: () => Promise.reject(new Error('no administrator')) },
    })
    await expect(running).rejects.toThrow('no administrator')
    await expect(get(`${url}/sys/livez`)).rejects.toThrow()
    const broken = await start({
      env,
      change: (service) => ({ ...service, build: () => Promise.reject(new Error('bug')) }),
    })
    await expect(broken.running).rejects.toThrow('bug')
    await expect(get(`${url}/sys/livez`)).rejects.toThrow()
  })

  test('closes what it has built, also when it fails after that', async () => {
    const closed: string[] = []
    const closing = async () => void closed.push('closed')
    const failing = { closing, started: () => Promise.reject(new Error('no administrator')) }
    await expect((await start({ parts: failing })).running).rejects.toThrow('no administrator')
    expect(closed).toEqual(['closed'])
    const jobs = [
      {
        name: 'last',
        everyMs: 1,
        requiredAtStart: true,
        run: async (signal: AbortSignal) => {
          if (signal.aborted) return
          await new Promise((resolve) => setImmediate(resolve))
          closed.push('worked')
        },
      },
    ]
    const running = await (await start({ parts: { closing, jobs } })).running
    await running[Symbol.asyncDispose]()
    expect(closed.at(-1)).toBe('closed')
    expect(closed.filter((step) => step === 'closed')).toHaveLength(2)
  })

  test('on a taken port names the port and the variable it was given by', async () => {
    await using taken = await (await start()).running
    const { port } = new URL(taken.url)
    const sentence = (variable: string) =>
      `Port ${port} on 127.0.0.1 is taken by another program: stop it, or set ${variable} to a free port.`
    await expect((await start({ env: { PORT: port } })).running).rejects.toThrow(sentence('PORT'))
    const change = (service: Service): Service => ({
      ...service,
      address: (env) => ({ port: Number(env.EVENTS_PORT), host: '127.0.0.1' }),
    })
    await expect((await start({ env: { EVENTS_PORT: port }, change })).running).rejects.toThrow(
      sentence('EVENTS_PORT'),
    )
    const unaware = ({ name, build }: Service): Service => ({ name, build })
    await expect((await start({ env: { PORT: port }, change: unaware })).running).rejects.toThrow(
      sentence('PORT'),
    )
  })

  test('on an address that is not here says which', async () => {
    const change = (service: Service): Service => ({
      ...service,
      address: () => ({ port: 0, host: '192.0.2.1' }),
    })
    await expect((await start({ change })).running).rejects.toThrow(
      'The address 192.0.2.1 does not belong to this machine',
    )
  })

  test('tells every problem of its environment before it listens', async () => {
    const change = (service: Service): Service => ({
      ...service,
      address: (env) => readConfig(z.object({ PORT: z.string(), HOST: z.string() }), env) as never,
    })
    await expect((await start({ change })).running).rejects.toMatchObject({
      problems: ['PORT is required.', 'HOST is required.'],
    })
  })
})

describe('stopping a service', () => {
  test('finishes the request in flight, tells its client to go elsewhere, and takes no new one', async () => {
    const { running, finish, asked } = await start()
    const service = await running
    const slow = get(`${service.url}/slow`)
    await asked
    const stopped = service[Symbol.asyncDispose]()
    finish()
    const answer = await slow
    expect([answer.status, answer.headers.get('connection'), await answer.json()]).toEqual([
      200,
      'close',
      { slow: true },
    ])
    await stopped
    await expect(get(`${service.url}/hello`)).rejects.toThrow()
  })

  test('still answers during its delay, not ready and with Connection: close', async () => {
    const { running } = await start({ drainDelayMs: 300 })
    const service = await running
    expect((await get(`${service.url}/hello`)).headers.get('connection')).toBe('keep-alive')
    const stopped = service[Symbol.asyncDispose]()
    const ready = await get(`${service.url}/sys/readyz`)
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'draining' }])
    const hello = await get(`${service.url}/hello`)
    expect([hello.status, hello.headers.get('connection')]).toEqual([200, 'close'])
    await stopped
  })

  test('answers on for longer while requests still come, but not for ever', async () => {
    const { running } = await start({ drainDelayMs: 200 })
    const service = await running
    const startedAt = performance.now()
    const stopped = service[Symbol.asyncDispose]().then(() => performance.now() - startedAt)
    let isStopped = false
    void stopped.then(() => {
      isStopped = true
    })
    let answered = 0
    while (!isStopped) {
      const status = await get(`${service.url}/hello`).then(
        (answer) => answer.status,
        () => undefined,
      )
      if (status === 200) answered = performance.now() - startedAt
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(answered).toBeGreaterThan(400)
    expect(await stopped).toBeLessThan(3000)
  })

  test('closes idle connections at once', async () => {
    const service = await (await start()).running
    await (await get(`${service.url}/hello`)).text()
    const startedAt = performance.now()
    await service[Symbol.asyncDispose]()
    expect(performance.now() - startedAt).toBePrompt(1000)
  })

  test('waits two seconds at most for a connection on which nothing was ever sent', async () => {
    const service = await (await start()).running
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1')
    await once(socket, 'connect')
    await get(`${service.url}/sys/livez`)
    const startedAt = performance.now()
    await service[Symbol.asyncDispose]()
    expect(performance.now() - startedAt).toBePrompt(5000)
    socket.destroy()
  })

  test('stops jobs before it stops to listen, and waits for the run in hand', async () => {
    const steps: string[] = []
    const { env, url } = await addressOf()
    const begun = Promise.withResolvers<void>()
    const parts: Partial<ServiceParts> = {
      jobs: [
        {
          name: 'sweep',
          everyMs: 1,
          async run(signal) {
            begun.resolve()
            await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
            steps.push(`job ends, listening: ${(await get(`${url}/hello`)).status === 200}`)
          },
        },
      ],
    }
    const service = await (await start({ env, parts })).running
    await begun.promise
    await service[Symbol.asyncDispose]()
    steps.push('stopped')
    expect(steps).toEqual(['job ends, listening: true', 'stopped'])
  })

  test('a job that fails is tried again', async () => {
    let runs = 0
    const parts: Partial<ServiceParts> = {
      jobs: [
        {
          name: 'sweep',
          everyMs: 1,
          run: () =>
            runs++ < 2 ? Promise.reject(new StoreError('down', { unavailable: true })) : Promise.resolve(),
        },
      ],
    }
    await using _ = await (await start({ parts })).running
    await vi.waitFor(() => expect(runs).toBeGreaterThan(3))
  })
})
