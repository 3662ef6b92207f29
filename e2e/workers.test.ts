import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { startEmbedded } from '@platform/database'
import {
  freePorts,
  freshDirectory,
  type PlatformProcess,
  platformSecrets,
  processTree,
  repositoryRoot,
  spawnPlatform,
} from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isAlive } from './support/processes.ts'

const stack = new AsyncDisposableStack()
let databaseUrl = ''

beforeAll(async () => {
  const directory = freshDirectory('workers-')
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const database = await startEmbedded(join(directory, 'postgres'))
  stack.defer(() => database.stop())
  databaseUrl = database.url
})
afterAll(() => stack.disposeAsync())

const MAIN = 'dist/api-gateway/main.js'
const environment = (port: number) => ({
  ...platformSecrets,
  NODE_ENV: 'development',
  HOST: '127.0.0.1',
  PORT: String(port),
  DATABASE_URL: databaseUrl,
  API_URL: `http://localhost:${port}/v2`,
  SAMPLE_WORKSPACE: 'false',
  GATEWAY_WORKERS: '2',
})
const started: PlatformProcess[] = []
afterAll(async () => {
  // What a test that failed has left behind.
  await Promise.all(started.map((gateway) => gateway.stop('SIGKILL')))
})
const start = async (env: Record<string, string> = {}) => {
  const [port = 0] = await freePorts(1)
  const gateway = spawnPlatform('gateway', MAIN, { ...environment(port), ...env })
  started.push(gateway)
  return { gateway, url: `http://127.0.0.1:${port}` }
}
const workersOf = (pid: number) => processTree(pid).filter((one) => one !== pid)
const timesReady = (output: string) => output.split('service is ready').length - 1

describe.concurrent('GATEWAY_WORKERS', () => {
  test('runs so many processes behind one port; one that dies is replaced, and SIGTERM ends all with 0', async () => {
    const { gateway, url } = await start()
    await vi.waitFor(() => expect(timesReady(gateway.output())).toBe(2), 60_000)
    expect(workersOf(gateway.pid)).toHaveLength(2)
    expect((await fetch(`${url}/`)).status).toBe(200)

    const [victim = 0] = workersOf(gateway.pid)
    process.kill(victim, 'SIGKILL')
    await vi.waitFor(() => expect(timesReady(gateway.output())).toBe(3), 60_000)
    const pids = processTree(gateway.pid)
    expect(pids).toHaveLength(3)
    for (let index = 0; index < 20; index += 1) expect((await fetch(`${url}/`)).status).toBe(200)

    expect(await gateway.stop('SIGTERM')).toBe(0)
    expect(pids.filter(isAlive)).toEqual([])
  })

  test('ends with 1 and says once why it can’t start', async () => {
    const { gateway } = await start({ JWKS_ALG: 'HS256' })
    const code = await new Promise((resolve) => gateway.child.once('exit', resolve))
    expect(code).toBe(1)
    expect(gateway.output().match(/JWKS_ALG/g)).toHaveLength(1)

    const wrong = await start({ GATEWAY_WORKERS: 'many' })
    expect(await new Promise((resolve) => wrong.gateway.child.once('exit', resolve))).toBe(1)
    expect(wrong.gateway.output()).toContain('GATEWAY_WORKERS must be auto or a number from 1 to 99.')
  })

  test('ends a worker that is stuck when the grace period is over, with 1', async () => {
    const { gateway } = await start({ SHUTDOWN_GRACE_MS: '1000' })
    await vi.waitFor(() => expect(timesReady(gateway.output())).toBe(2), 60_000)
    const pids = processTree(gateway.pid)
    const [stuck = 0] = workersOf(gateway.pid)
    process.kill(stuck, 'SIGSTOP')
    const startedAt = performance.now()
    expect(await gateway.stop('SIGTERM', 15_000)).toBe(1)
    expect(performance.now() - startedAt).toBePrompt(8000)
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]))
  })

  test('leaves no worker behind when the first process is killed', async () => {
    const { gateway } = await start()
    await vi.waitFor(() => expect(timesReady(gateway.output())).toBe(2), 60_000)
    const pids = processTree(gateway.pid)
    await gateway.stop('SIGKILL')
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), 20_000)
  })

  test(
    'shows the numbers of all processes wherever it is asked, also of one that took the place of ' +
      'another',
    async () => {
      const [metricsPort = 0] = await freePorts(1)
      const { gateway, url } = await start({ METRICS_PORT: String(metricsPort) })
      await vi.waitFor(() => expect(timesReady(gateway.output())).toBe(2), 60_000)
      const headers = { authorization: `Bearer ${platformSecrets.INTERNAL_API_KEY}` }
      const page = async (at: string) => (await fetch(`${at}/metrics`, { headers })).text()
      const doors = [url, `http://127.0.0.1:${metricsPort}`]
      for (let count = 0; count < 40; count += 1)
        await fetch(`${url}/v2/versions`, { headers: { connection: 'close' } })

      for (const door of [...doors, ...doors]) {
        const shown = await page(door)
        expect(valuesOf(shown, 'platform_service_ready{')).toEqual({ 1: 1, 2: 1 })
        const requests = valuesOf(shown, 'platform_http_requests_total{', 'route="/v2/versions"')
        expect((requests[1] ?? 0) + (requests[2] ?? 0)).toBe(40)
        expect(shown.match(/^# TYPE platform_service_ready /gm)).toHaveLength(1)
      }
      const pages = await Promise.all(Array.from({ length: 60 }, (_, at) => page(doors[at % 2] ?? '')))
      for (const text of pages)
        expect(Object.keys(valuesOf(text, 'process_cpu_seconds_total{'))).toHaveLength(2)

      process.kill(workersOf(gateway.pid)[0] ?? 0, 'SIGKILL')
      await vi.waitFor(() => expect(timesReady(gateway.output())).toBe(3), 60_000)
      expect(valuesOf(await page(url), 'platform_service_ready{')).toEqual({ 1: 1, 2: 1 })

      // Whose connection the frozen one is given waits; another try reaches the other.
      const [frozen = 0] = workersOf(gateway.pid)
      process.kill(frozen, 'SIGSTOP')
      const rest = await vi.waitFor(() => pageOnce(`${url}/metrics`, headers), 30_000)
      expect(Object.keys(valuesOf(rest, 'platform_service_ready{'))).toHaveLength(1)
      process.kill(frozen, 'SIGCONT')
      expect(await gateway.stop('SIGTERM')).toBe(0)
    },
  )

  test('warns once that limits hold for each process where nothing counts for all of them', async () => {
    const { gateway } = await start()
    await vi.waitFor(() => expect(timesReady(gateway.output())).toBe(2), 60_000)
    expect(gateway.output().match(/rate limits hold for each worker on its own/g)).toHaveLength(1)
    await gateway.stop()
    const alone = await start({ GATEWAY_WORKERS: '1' })
    await vi.waitFor(() => expect(timesReady(alone.gateway.output())).toBe(1), 60_000)
    expect(alone.gateway.output()).not.toContain('rate limits hold')
    await alone.gateway.stop()
  })

  test('leaves each line of the log whole, however slowly the pipe they share is read', async () => {
    const [port = 0] = await freePorts(1)
    const pipe = join(mkdtempSync(join(tmpdir(), 'pipe-')), 'log')
    execFileSync('mkfifo', [pipe])
    const reader = new Socket({ fd: openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK) })
    let log = ''
    reader.setEncoding('utf8').on('data', (chunk: string) => {
      log += chunk
    })
    const writer = openSync(pipe, 'w')
    const child = spawn(process.execPath, [MAIN], {
      cwd: repositoryRoot,
      env: { PATH: process.env.PATH, ...environment(port), RATE_LIMIT_DISABLED: 'true' },
      stdio: ['ignore', writer, 'inherit'],
    })
    closeSync(writer)
    await vi.waitFor(() => expect(timesReady(log)).toBe(2), 60_000)

    reader.pause()
    const ask = () => fetch(`http://127.0.0.1:${port}/v2/versions`, { headers: { connection: 'close' } })
    for (let round = 0; round < 60; round += 1) await Promise.all(Array.from({ length: 40 }, ask))
    reader.resume()
    child.kill('SIGTERM')
    await once(reader, 'close')

    const lines = log.trimEnd().split('\n')
    const told = lines.map((line) => JSON.parse(line) as { msg: string; route?: string })
    expect(told.filter(({ route }) => route === '/v2/versions')).toHaveLength(2400)
  })
})

/** A page over a connection of its own; rejects when it is not there within 3 s. */
const pageOnce = async (url: string, headers: Record<string, string>): Promise<string> => {
  const request = get(url, { agent: false, headers, signal: AbortSignal.timeout(3000) })
  const [answer] = (await once(request, 'response')) as [IncomingMessage]
  return text(answer)
}

/** The numbers of a metric by worker; each line must have all of the texts. */
const valuesOf = (page: string, ...texts: string[]): Record<string, number> => {
  const values: Record<string, number> = {}
  for (const line of page.split('\n').filter((one) => texts.every((text) => one.includes(text)))) {
    const worker = /worker="(\d+)"/.exec(line)?.[1] ?? 'none'
    values[worker] = (values[worker] ?? 0) + Number(line.split(' ').at(-1))
  }
  return values
}
