import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import {
  ADMIN,
  ALL_IN_ONE_SOURCE,
  freePorts,
  freshDirectory,
  processTree,
  spawnPlatform,
  startAllInOne,
} from '@platform/testing/platform'
import { describe, expect, test, vi } from 'vitest'
import { administrator, call, newWorkspace } from './support/caller.ts'
import { commandOf, isAlive, workingIn } from './support/processes.ts'

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
  test(
    'Ctrl-C ends it within 10 s with code 0 and nothing left; the next start finds everything and ' +
      'prints no password',
    async () => {
      const directory = directoryFor()
      const first = await startAllInOne(unconfigured, directory)
      const output = first.process('all-in-one').output()
      const password = /password\s{2,}(\S+)/.exec(output)?.[1] ?? ''
      const email = /(\S+@\S+)/.exec(output)?.[1] ?? ''
      expect(password.length, output).toBeGreaterThanOrEqual(16)
      expect(output).toContain(`${first.origin}/docs`)
      expect(output).toContain(`npm run -s ops -- admin reset-password ${email}`)
      expect(readFileSync(join(directory, 'postgres', 'postgres.log'), 'utf8')).not.toMatch(
        /ERROR|FATAL|PANIC/,
      )
      const sample = /curl -d name=Ada (\S+)/.exec(output)?.[1] ?? ''
      const answer = await fetch(sample, { method: 'POST', body: new URLSearchParams({ name: 'Ada' }) })
      expect(await answer.json()).toEqual({ message: 'Hello Ada!' })
      expect(statSync(join(directory, 'secrets.env')).mode & 0o777).toBe(0o600)
      const { token } = await administrator(first, { email, password })
      const workspaceId = await newWorkspace(first.origin, token)

      const pids = processTree(first.process('all-in-one').pid)
      const started = performance.now()
      expect(await first.process('all-in-one').stop('SIGINT')).toBe(0)
      expect(performance.now() - started).toBePrompt(10_000)
      expect(pids.filter(isAlive)).toEqual([])

      const second = await startAllInOne(unconfigured, directory)
      expect(second.process('all-in-one').output()).not.toMatch(/password\s{2,}\S/)
      expect((await call(second.origin, 'GET', `/v2/workspaces/${workspaceId}`, { token })).status).toBe(200)
      await second[Symbol.asyncDispose]()
      rmSync(directory, { recursive: true, force: true })
    },
  )

  test('whatever ends it leaves no process behind, and the next start finds everything', async () => {
    const directory = directoryFor()
    const toAll = (pids: number[], name: NodeJS.Signals) => {
      for (const pid of pids) if (isAlive(pid)) process.kill(pid, name)
    }
    const ends: Record<string, (pids: number[], pid: number) => void> = {
      'a kill': (_, pid) => process.kill(pid, 'SIGKILL'),
      // How Node ends for want of memory.
      'an abort': (_, pid) => process.kill(pid, 'SIGABRT'),
      'a closed terminal': (_, pid) => process.kill(pid, 'SIGHUP'),
      'two Ctrl-C': (_, pid) => {
        process.kill(pid, 'SIGINT')
        setTimeout(() => isAlive(pid) && process.kill(pid, 'SIGINT'), 100)
      },
      'a stop of everything at once': (pids) => toAll(pids, 'SIGTERM'),
      'a stop of everything twice': (pids) => {
        toAll(pids, 'SIGTERM')
        setTimeout(() => toAll(pids, 'SIGTERM'), 100)
      },
    }
    for (const [name, bringAbout] of Object.entries(ends)) {
      const platform = await startAllInOne({}, directory)
      expect((await call(platform.origin, 'GET', '/')).status).toBe(200)
      const { pid } = platform.process('all-in-one')
      const pids = processTree(pid)
      const files = readlinkSync(`/proc/${pids.find((one) => /postgres/.test(commandOf(one))) ?? pid}/cwd`)
      bringAbout(pids, pid)
      await vi.waitFor(() => expect([...pids, ...workingIn(files)].filter(isAlive), name).toEqual([]), 20_000)
    }
    rmSync(directory, { recursive: true, force: true })
  })
})

describe('a start that cannot work says why in a sentence and ends with 1', () => {
  const start = async (env: Record<string, string>) => {
    const started = spawnPlatform('all-in-one', ALL_IN_ONE_SOURCE, env)
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

  test('a disk that is full at the first start', async (context) => {
    const directory = directoryFor()
    const mount = ['-t', 'tmpfs', '-o', 'size=20m,mode=755', 'tmpfs', directory]
    if (spawnSync('mount', mount).status !== 0) return context.skip('mounting a small disk is not allowed')
    try {
      const { code, output } = await start(await environment(directory))
      expect(code).toBe(1)
      expect(output.match(/full[^\n]*free some space/g), output).toHaveLength(1)
      expect(output).not.toMatch(/^\s+at /m)
    } finally {
      spawnSync('umount', ['-l', directory])
    }
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

describe('ports', () => {
  const started = async (env: Record<string, string>) => {
    const directory = directoryFor()
    const platform = spawnPlatform('all-in-one', ALL_IN_ONE_SOURCE, {
      ...{ ADMIN_EMAIL: ADMIN.email, ADMIN_PASSWORD: ADMIN.password, DATA_DIRECTORY: directory },
      ...env,
    })
    return {
      platform,
      async [Symbol.asyncDispose]() {
        await platform.stop()
        rmSync(directory, { recursive: true, force: true })
      },
    }
  }

  test('PORT alone is enough beside another platform: the services behind take what is free', async () => {
    const [one = 0, other = 0] = await freePorts(2)
    await using first = await started({ PORT: String(one) })
    await first.platform.printed(/is ready at/)
    await using second = await started({ PORT: String(other) })
    await second.platform.printed(/is ready at/)
    for (const port of [one, other]) {
      const platform = { origin: `http://localhost:${port}` }
      const { token } = await administrator(platform)
      expect(await newWorkspace(platform.origin, token)).toMatch(/^[a-z0-9]{16}$/)
    }
  })

  test('a taken one is told with a line to copy', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as AddressInfo
    await using refused = await started({ PORT: String(port), npm_lifecycle_event: 'start' })
    const [code] = await once(refused.platform.child, 'exit')
    taken.close()
    expect(code).toBe(1)
    expect(refused.platform.output()).toMatch(
      new RegExp(`Port ${port} on 127.0.0.1 is taken by another program: .+\\.\\n  PORT=\\d+ npm start\\n$`),
    )
  })
})

test('a database that is not there is told at once, with what to do, and named by the readiness report', async () => {
  const [port = 0] = await freePorts(1)
  const directory = directoryFor()
  const key = 'internal-key-of-the-platform-tests-0123456789'
  const platform = spawnPlatform('all-in-one', ALL_IN_ONE_SOURCE, {
    ...{ PORT: String(port), DATABASE_URL: 'postgres://u:geheim@127.0.0.1:1/x' },
    ...{ DATA_DIRECTORY: directory, INTERNAL_API_KEY: key },
  })
  const sentence =
    "The database at 127.0.0.1:1 can't be reached (ECONNREFUSED): start it, or correct DATABASE_URL."
  await platform.printed(/DATABASE_URL/)
  const answer = await fetch(`http://127.0.0.1:${port}/sys/readiness`, {
    headers: { 'x-platform-api-key': key },
  })
  expect(JSON.stringify(await answer.json())).toContain(JSON.stringify(sentence).slice(1, -1))
  const config = await (
    await fetch(`http://127.0.0.1:${port}/sys/config`, { headers: { 'x-platform-api-key': key } })
  ).json()
  expect(config).toMatchObject({
    settings: expect.arrayContaining([
      { name: 'DATABASE_URL', origin: 'environment', value: 'postgres://[credentials]@127.0.0.1:1/x' },
      { name: 'CACHE_URL', origin: 'all in one', value: 'memory:' },
      { name: 'DATA_DIRECTORY', origin: 'environment', value: directory },
    ]),
  })
  expect(platform.output()).toBe(`${sentence}\n`)
  const startedAt = performance.now()
  expect(await platform.stop()).toBe(0)
  expect(performance.now() - startedAt).toBePrompt(9000)
  rmSync(directory, { recursive: true, force: true })
})
