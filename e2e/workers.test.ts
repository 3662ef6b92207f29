import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '@platform/database'
import { freePorts, platformSecrets, processTree, spawnPlatform } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { isAlive } from './support/processes.ts'

const stack = new AsyncDisposableStack()
let databaseUrl = ''

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'workers-'))
  stack.defer(() => rmSync(directory, { recursive: true, force: true }))
  const database = await startEmbedded(join(directory, 'postgres'))
  stack.defer(() => database.stop())
  databaseUrl = database.url
})
afterAll(() => stack.disposeAsync())

const start = async (env: Record<string, string> = {}) => {
  const [port = 0] = await freePorts(1)
  const gateway = spawnPlatform('gateway', 'apps/api-gateway/src/main.ts', {
    ...platformSecrets,
    NODE_ENV: 'development',
    HOST: '127.0.0.1',
    PORT: String(port),
    DATABASE_URL: databaseUrl,
    API_URL: `http://localhost:${port}/v2`,
    SAMPLE_WORKSPACE: 'false',
    GATEWAY_WORKERS: '2',
    ...env,
  })
  return { gateway, url: `http://127.0.0.1:${port}` }
}
const workersOf = (pid: number) => processTree(pid).filter((one) => one !== pid)
const timesReady = (output: string) => output.split('service is ready').length - 1

describe('GATEWAY_WORKERS', () => {
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

  test('leaves no worker behind when the first process is killed', async () => {
    const { gateway } = await start()
    await vi.waitFor(() => expect(timesReady(gateway.output())).toBe(2), 60_000)
    const pids = processTree(gateway.pid)
    await gateway.stop('SIGKILL')
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), 20_000)
  })
})
