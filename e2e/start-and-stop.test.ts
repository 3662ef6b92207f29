import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import {
  ADMIN,
  freePorts,
  freshDirectory,
  processTree,
  spawnPlatform,
  startAllInOne,
} from '@platform/testing/platform'
import { describe, expect, test } from 'vitest'
import { administrator, call, newWorkspace } from './support/caller.ts'
import { isAlive } from './support/processes.ts'

const directoryFor = () => freshDirectory('platform with space ')

/** Nothing an operator would have to set: secrets and the administrator are made by the first start. */
const unconfigured = {
  ADMIN_EMAIL: '',
  ADMIN_PASSWORD: '',
  INTERNAL_API_KEY: '',
  SECRETS_MASTER_KEYS: '',
  SESSION_COOKIES_SIGN_SECRET: '',
}

describe('starting and stopping', () => {
  test('Ctrl-C ends it within 10 s with code 0 and nothing left; the next start finds everything and prints no password', async () => {
    const directory = directoryFor()
    const first = await startAllInOne(unconfigured, directory)
    const output = first.process('all-in-one').output()
    const password = /password\s{2,}(\S+)/.exec(output)?.[1] ?? ''
    const email = /(\S+@\S+)/.exec(output)?.[1] ?? ''
    expect(password.length, output).toBeGreaterThanOrEqual(16)
    expect(statSync(join(directory, 'secrets.env')).mode & 0o777).toBe(0o600)
    Object.assign(ADMIN, { email, password })
    const { token } = await administrator(first)
    const workspaceId = await newWorkspace(first.origin, token)

    const pids = processTree(first.process('all-in-one').pid)
    const started = Date.now()
    expect(await first.process('all-in-one').stop('SIGINT')).toBe(0)
    expect(Date.now() - started).toBeLessThan(10_000)
    expect(pids.filter(isAlive)).toEqual([])

    const second = await startAllInOne(unconfigured, directory)
    expect(second.process('all-in-one').output()).not.toMatch(/password\s{2,}\S/)
    expect((await call(second.origin, 'GET', `/v2/workspaces/${workspaceId}`, { token })).status).toBe(200)
    await second[Symbol.asyncDispose]()
    rmSync(directory, { recursive: true, force: true })
  })

  test('after kill -9 the next start recovers, orphaned PostgreSQL included', async () => {
    const directory = directoryFor()
    const first = await startAllInOne({}, directory)
    await first.process('all-in-one').stop('SIGKILL')
    await using second = await startAllInOne({}, directory)
    expect((await call(second.origin, 'GET', '/')).status).toBe(200)
  })
})

describe('a start that cannot work says why in a sentence and ends with 1', () => {
  const start = async (env: Record<string, string>) => {
    const started = spawnPlatform('all-in-one', 'apps/all-in-one/src/main.ts', env)
    const code = await new Promise<number | null>((resolve) => started.child.once('exit', resolve))
    return { code, output: started.output() }
  }
  const environment = async (directory: string): Promise<Record<string, string>> => {
    const [port = 0, workspaces = 0, runtime = 0, events = 0] = await freePorts(4)
    const ports = { PORT: port, WORKSPACES_PORT: workspaces, RUNTIME_PORT: runtime, EVENTS_PORT: events }
    return {
      DATA_DIRECTORY: directory,
      ...Object.fromEntries(Object.entries(ports).map(([name, value]) => [name, String(value)])),
    }
  }

  test('a taken port names the port and the variable', async () => {
    const env = await environment(directoryFor())
    const taken = createServer().listen(Number(env.RUNTIME_PORT), '127.0.0.1')
    const { code, output } = await start(env)
    taken.close()
    expect(code).toBe(1)
    expect(output).toContain(env.RUNTIME_PORT)
    expect(output).toContain('RUNTIME_PORT')
    expect(output).not.toMatch(/^\s+at /m)
  })

  test('a data directory in use by another instance', async () => {
    const directory = directoryFor()
    await using _running = await startAllInOne({}, directory)
    const { code, output } = await start(await environment(directory))
    expect(code).toBe(1)
    expect(output).toMatch(/in use/)
    expect(output).not.toMatch(/^\s+at /m)
  })

  test('a data directory that is a file', async () => {
    const file = join(directoryFor(), 'file')
    writeFileSync(file, '')
    const { code, output } = await start(await environment(file))
    expect(code).toBe(1)
    expect(output).not.toMatch(/^\s+at /m)
    expect(existsSync(file)).toBe(true)
  })

  test('every wrong variable at once', async () => {
    const { code, output } = await start({
      ...(await environment(directoryFor())),
      ACCESS_TOKENS_MAX_AGE: 'soon',
      JWKS_ALG: 'none',
      INTERNAL_API_KEY: 'short',
    })
    expect(code).toBe(1)
    expect(output).toMatch(/ACCESS_TOKENS_MAX_AGE/)
    expect(output).toMatch(/INTERNAL_API_KEY/)
  })
})
