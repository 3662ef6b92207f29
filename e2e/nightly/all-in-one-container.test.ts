import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { freePorts, signIn } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, newWorkspace, saveAutomation } from '../support/caller.ts'

/** The version of the images that scripts/nightly/images.sh has built; without it there is nothing to run. */
const { PLATFORM_VERSION, READY_MS = '10000' } = process.env
const project = `all-in-one-${randomBytes(4).toString('hex')}`

const docker = (...args: string[]): string =>
  execFileSync('docker', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })

/** Waits until the address takes requests, as it does a moment after a restart. */
async function ready(origin: string): Promise<void> {
  const isReady = async () =>
    (await call(origin, 'GET', '/sys/readyz').catch(() => ({ status: 0 }))).status === 200
  await expect.poll(isReady, { timeout: 60_000, interval: 100 }).toBe(true)
}

/** What the first start has printed, a moment after it takes requests: whom to sign in as. */
async function printedAccount(logs: () => string): Promise<{ email: string; password: string }> {
  await expect.poll(logs, { timeout: 60_000, interval: 200 }).toContain('The platform is ready at')
  const log = logs()
  const email = /e-mail\s+(\S+)/.exec(log)?.[1] ?? ''
  const password = /password\s{2,}(\S+)/.exec(log)?.[1] ?? ''
  expect(password.length, log).toBeGreaterThanOrEqual(16)
  return { email, password }
}

const greet = {
  slug: 'greet',
  name: 'greet',
  when: { endpoint: true },
  do: [{ set: { name: 'greeting', value: 'Hello {{body.name}}' } }],
  output: { greeting: '{{greeting}}' },
}

describe.runIf(PLATFORM_VERSION !== undefined)('all in one by compose', () => {
  let origin: string
  let token: string
  let path: string
  let compose: (...args: string[]) => string
  const up = () => compose('up', '--wait', '--no-build')
  const container = () => compose('ps', '-q').trim()
  const secretsOf = () => compose('exec', '-T', 'platform', 'cat', '/data/secrets.env')
  const greeting = async () => (await call(origin, 'POST', path, { token, body: { name: 'Ada' } })).json

  beforeAll(async () => {
    const [port = 0] = await freePorts(1)
    process.env.PUBLISHED_PORT = String(port)
    origin = `http://localhost:${port}`
    const file = 'deploy/compose/all-in-one.yaml'
    compose = (...args) => docker('compose', '-p', project, '-f', file, ...args)
  })
  afterAll(() => compose('down', '--volumes', '--timeout', '1'))

  test('is ready in time with nothing set, and the printed password signs in', async () => {
    const before = performance.now()
    up()
    const readyMs = performance.now() - before
    console.info(
      `ready after ${Math.round(readyMs)} ms; ${docker('stats', '--no-stream', container()).trim()}`,
    )
    expect((await call(origin, 'GET', '/sys/readyz')).status).toBe(200)
    expect(readyMs).toBeLessThan(Number(READY_MS))

    token = await signIn(origin, await printedAccount(() => compose('logs', '--no-log-prefix')))
    const workspaceId = await newWorkspace(origin, token)
    await saveAutomation(origin, token, workspaceId, greet)
    path = `/v2/workspaces/${workspaceId}/webhooks/greet`
    expect(await greeting()).toEqual({ greeting: 'Hello Ada' })
  })

  test('runs functions in JavaScript and Python', async () => {
    const workspaceId = await newWorkspace(origin, token)
    const double = { language: 'js', code: 'return n * 2', parameters: { n: { type: 'number' } } }
    const half = { language: 'python', code: 'return n / 2', parameters: { n: { type: 'number' } } }
    const functions = `/v2/functions/${workspaceId}`
    for (const [name, body] of Object.entries({ double, half }))
      expect((await call(origin, 'PUT', `${functions}/${name}`, { token, body })).status).toBe(200)
    for (const [name, result] of Object.entries({ double: 8, half: 2 })) {
      const before = performance.now()
      const body = { parameters: { n: 4 } }
      const answer = await call(origin, 'POST', `${functions}/run/${name}`, { token, body })
      expect(answer).toMatchObject({ status: 200, json: { result } })
      console.info(`first call of ${name}: ${Math.round(performance.now() - before)} ms`)
    }
  })

  test('runs without root, capabilities, new privileges or a place to write but its data', () => {
    const status = compose('exec', '-T', 'platform', 'cat', '/proc/1/status')
    expect(status).toMatch(/^Uid:\s+1000\s+1000\s+1000\s+1000$/m)
    expect(status).toMatch(/^CapEff:\s+0+$/m)
    expect(status).toMatch(/^CapBnd:\s+0+$/m)
    expect(status).toMatch(/^NoNewPrivs:\s+1$/m)
    const write = ['exec', '-T', 'platform', 'sh', '-c', 'touch /platform/x /x /home/node/x']
    expect(() => compose(...write)).toThrow('Read-only file system')
  })

  test('logs no error at the first start, in its own log or that of PostgreSQL', () => {
    const log = compose('exec', '-T', 'platform', 'cat', '/data/postgres/postgres.log')
    expect(log).not.toMatch(/ERROR|FATAL|PANIC/)
    expect(compose('logs', '--no-log-prefix')).not.toMatch(/"level":"(error|fatal)"/)
  })

  test('ops works in it, also for a password that was lost', async () => {
    expect(compose('exec', '-T', 'platform', 'ops', 'readiness')).toContain('The platform is ready.')
    const [, command = ''] = /Password lost +docker (.+)$/m.exec(compose('logs', '--no-log-prefix')) ?? []
    const password = /^ {2}(\S+)$/m.exec(docker(...command.split(' ')))?.[1] ?? ''
    token = await signIn(origin, { email: command.split(' ').at(-1) ?? '', password })
    expect(await greeting()).toEqual({ greeting: 'Hello Ada' })
  })

  test.each<[string, () => unknown]>([
    ['a restart', () => compose('restart')],
    ['a kill of all its processes', () => compose('exec', '-T', 'platform', 'sh', '-c', 'kill -9 -1')],
    ['a kill of the container', () => [docker('kill', '--signal', 'KILL', container()), up()]],
    ['down and up', () => [compose('down'), up()]],
  ])('keeps everything, its secrets included, over %s', async (_, interrupt) => {
    const secrets = secretsOf()
    interrupt()
    await ready(origin)
    expect(await greeting()).toEqual({ greeting: 'Hello Ada' })
    expect(secretsOf()).toBe(secrets)
  })

  test('ends with 0 in the time it is given', () => {
    const id = container()
    compose('stop')
    expect(docker('inspect', '-f', '{{.State.ExitCode}} {{.State.OOMKilled}}', id).trim()).toBe('0 false')
  })
})

describe.runIf(PLATFORM_VERSION !== undefined)('the image alone', () => {
  const name = `${project}-alone`
  afterAll(() => docker('rm', '--force', name))

  test('runs with no variable, says how to sign in, and that its data ends with it', async () => {
    const [port = 0] = await freePorts(1)
    const image = `platform/all-in-one:${PLATFORM_VERSION}`
    docker('run', '--detach', '--name', name, '--publish', `127.0.0.1:${port}:3001`, image)
    await ready(`http://localhost:${port}`)
    const logs = () => execFileSync('sh', ['-c', `docker logs ${name} 2>&1`], { encoding: 'utf8' })
    expect((await printedAccount(logs)).email).toBe('admin@localhost')
    const sample = await call(
      `http://localhost:${port}`,
      'POST',
      '/v2/workspaces/slug:hello/webhooks/greet',
      {
        body: { name: 'Ada' },
      },
    )
    expect(sample.json).toEqual({ message: 'Hello Ada!' })
    expect(logs()).toContain('-v platform:/data')
    expect(docker('inspect', '-f', '{{len .Mounts}}', name).trim()).toBe('0')
  })
})
