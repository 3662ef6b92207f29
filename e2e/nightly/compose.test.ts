import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePorts, repositoryRoot, signIn } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, newWorkspace, saveAutomation } from '../support/caller.ts'
import { Containers } from '../support/containers.ts'
import { type Ask, clientOf, type Miss, SteadyLoad } from '../support/steady-load.ts'

const RATE = 20
const { COMPOSE_PROJECT = 'platform-nightly', READY_SECONDS = '20', OUTAGE_SECONDS = '3' } = process.env
const OUTAGE_MS = Number(OUTAGE_SECONDS) * 1000
const services = ['api-gateway', 'workspaces', 'runtime', 'events']

/** What was measured, for docs/operations.md. */
const figures: string[] = []
const note = (figure: string) => {
  figures.push(figure)
  console.log(`== ${figure}`)
}

describe('the platform in containers, with nothing set', () => {
  let containers: Containers
  let token: string
  let base: string
  /** Events that were emitted with 200. */
  let acknowledged = 0

  beforeAll(async () => {
    const [port = 0] = await freePorts(1)
    containers = new Containers(COMPOSE_PROJECT, port)
    await containers.compose('down', '-v', '--remove-orphans')
  })
  afterAll(async () => {
    console.log(figures.join('\n'))
    if (process.env.KEEP !== '1') await containers.compose('down', '-v', '--remove-orphans')
  })

  /** The four services in turn, each by a request that passes the gateway to it. */
  const asks = (n: number): Ask => {
    const ways: Omit<Ask, 'token'>[] = [
      { method: 'GET', path: '/v2/me' },
      { method: 'GET', path: base },
      { method: 'POST', path: `${base}/webhooks/answer`, body: '{}' },
      { method: 'POST', path: `${base}/events`, body: '{"events":[{"type":"counted"}]}' },
    ]
    if (n % ways.length === ways.length - 1) acknowledged += 1
    return { ...(ways[n % ways.length] as Omit<Ask, 'token'>), token }
  }

  /** Load while something happens to the platform; what failed, and for how long something failed. */
  async function underLoad(what: string, happens: () => Promise<unknown>, settleMs = 8000) {
    const load = new SteadyLoad(RATE, [clientOf('published port', containers.origin)], asks)
    await pause(1000)
    await happens()
    await pause(settleMs)
    await load.stop()
    const times = load.misses.map(({ at }) => Date.parse(at))
    const outageMs = times.length === 0 ? 0 : Math.max(...times) - Math.min(...times)
    acknowledged -= load.misses.filter(({ what: miss }) => miss.includes('/events:')).length
    const statuses = [...new Set(load.misses.map(({ what: miss }) => /: (.+) after/.exec(miss)?.[1] ?? miss))]
    note(
      `${what}: ${load.served} served, ${load.misses.length} failed (${statuses.join(', ')}) within ${outageMs} ms`,
    )
    return { misses: load.misses, outageMs }
  }

  /** 503 from the gateway, or a connection that a killed gateway cut; nothing else, and never 4xx. */
  const honest = ({ what }: Miss) => !/: (4\d\d|500|502|504) /.test(what)

  const stored = async () => {
    const statement = `select count(*) from search.documents where type = 'counted'`
    return Number(
      await containers.compose('exec', '-T', 'postgres', 'psql', '-U', 'platform', '-Atc', statement),
    )
  }

  test('is served by one command, within the time, as soon as the command returns', {
    timeout: 300_000,
  }, async () => {
    const startedAt = performance.now()
    await containers.compose('up', '-d', '--wait', '--no-build')
    const seconds = (performance.now() - startedAt) / 1000
    note(`ready ${seconds.toFixed(1)} s after the images are there`)
    expect((await call(containers.origin, 'GET', '/v2/openapi.json')).status).toBe(200)
    const administrator = await containers.administrator()
    const jwt = await signIn(containers.origin, administrator)
    const expiresAt = new Date(Date.now() + 86_400_000).toISOString()
    const made = await call(containers.origin, 'POST', '/v2/user/accessTokens', {
      token: jwt,
      body: { name: 'nightly', expiresAt },
    })
    token = made.json.token
    const workspaceId = await newWorkspace(containers.origin, token)
    base = `/v2/workspaces/${workspaceId}`
    const hook = { slug: 'answer', name: 'answer', when: { endpoint: true }, do: [], output: 'here' }
    await saveAutomation(containers.origin, token, workspaceId, hook)
    const signUp = await call(containers.origin, 'POST', '/v2/signup', {
      body: { email: 'x@example.com', password: 'a long enough password', firstName: 'X', lastName: 'Y' },
    })
    expect(signUp.status).toBe(403)
    expect(seconds).toBeLessThan(Number(READY_SECONDS))
  })

  test('does what the README says', { timeout: 120_000 }, async () => {
    const { email, password } = await containers.administrator()
    const block = /<!-- try-it -->\s*```sh\n([\s\S]*?)```/.exec(
      readFileSync(join(repositoryRoot, 'README.md'), 'utf8'),
    )
    const script = (block?.[1] ?? 'exit 1').replaceAll('http://localhost:3001', containers.origin)
    const cwd = mkdtempSync(join(tmpdir(), 'readme-'))
    const env = { PATH: process.env.PATH ?? '', HOME: cwd, ADMIN_EMAIL: email, ADMIN_PASSWORD: password }
    const shell = spawn('bash', ['-euo', 'pipefail', '-c', script], { cwd, env })
    let output = ''
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk))
    const code = await new Promise((resolve) => shell.once('exit', resolve))
    expect(code, output).toBe(0)
    for (const said of ['Hello Ada', 'order.confirmed', '"status": "ready"']) expect(output).toContain(said)
  })

  test('runs without root, capabilities or a writable root, and shows no secret', {
    timeout: 60_000,
  }, async () => {
    for (const service of [...services, 'postgres', 'valkey', 'nats']) {
      const [id = ''] = await containers.ids(service)
      const status = await containers.compose('exec', '-T', service, 'cat', '/proc/1/status')
      expect(status, service).toMatch(/^CapBnd:\s+0+$/m)
      expect(status, service).not.toMatch(/^Uid:\s+0\b/m)
      expect(await containers.inspect(id, '{{.HostConfig.ReadonlyRootfs}}'), service).toBe('true')
      const shown = await containers.inspect(
        id,
        '{{json .Config.Env}} {{json .Config.Cmd}} {{json .Config.Entrypoint}}',
      )
      const secrets = await containers.compose('exec', '-T', 'api-gateway', 'sh', '-c', 'cat /run/platform/*')
      expect(secrets.length).toBeGreaterThan(200)
      expect(shown).not.toMatch(/k1:[A-Za-z0-9+/]{20}/)
    }
  })

  test.each(services)(
    '%s that is killed comes back within the time',
    { timeout: 120_000 },
    async (service) => {
      const [id = ''] = await containers.ids(service)
      const { misses, outageMs } = await underLoad(`kill -9 of ${service}`, () => containers.kill(id))
      expect(misses.filter((miss) => !honest(miss))).toEqual([])
      expect(outageMs).toBeLessThan(OUTAGE_MS)
    },
  )

  test.each(['valkey', 'nats', 'postgres'])(
    '%s may be killed and restarted',
    { timeout: 240_000 },
    async (store) => {
      const [id = ''] = await containers.ids(store)
      const killed = await underLoad(`kill -9 of ${store}`, () => containers.kill(id), 10_000)
      const restarted = await underLoad(
        `restart of ${store}`,
        () => containers.compose('restart', store),
        10_000,
      )
      for (const { misses } of [killed, restarted]) expect(misses.filter((miss) => !honest(miss))).toEqual([])
      if (store !== 'postgres') expect([...killed.misses, ...restarted.misses]).toEqual([])
    },
  )

  test('keeps everything when it is taken down and brought up', { timeout: 300_000 }, async () => {
    const secretsOf = () =>
      containers.compose('exec', '-T', 'api-gateway', 'sh', '-c', 'sha256sum /run/platform/* | sha256sum')
    const before = [await secretsOf(), (await call(containers.origin, 'GET', base, { token })).text]
    await containers.compose('down')
    await containers.compose('up', '-d', '--wait', '--no-build')
    const after = [await secretsOf(), (await call(containers.origin, 'GET', base, { token })).text]
    expect(after).toEqual(before)
    await expect.poll(stored, { timeout: 30_000 }).toBeGreaterThanOrEqual(acknowledged)
  })

  test('spreads over instances of a service, and loses none of the requests when they go', {
    timeout: 300_000,
  }, async () => {
    const scale = (count: number) => () =>
      containers.compose(
        ...['up', '-d', '--wait', '--no-build', '--no-recreate'],
        ...['workspaces', 'runtime', 'events'].flatMap((service) => ['--scale', `${service}=${count}`]),
      )
    const up = await underLoad('scaling to 3', scale(3))
    const seen = await containers.compose('logs', '--no-log-prefix', '--since', '10s', 'api-gateway')
    const upstreams = new Set(
      [...seen.matchAll(/"upstream":"(http:[^"]+:3003)"/g)].map(([, origin]) => origin),
    )
    note(`instances of runtime that answered within 10 s: ${upstreams.size}`)
    const rolled = []
    for (const service of ['workspaces', 'runtime', 'events'])
      rolled.push(
        await underLoad(`rolling replacement of 3 × ${service}`, () => containers.roll(service), 3000),
      )
    const down = await underLoad('scaling back to 1', scale(1))
    expect(upstreams.size).toBe(3)
    expect([up, ...rolled, down].flatMap(({ misses }) => misses)).toEqual([])
  })

  test('runs functions in a container that sees no secret but the internal key, and loses no run with it', {
    timeout: 300_000,
  }, async () => {
    const send = (method: string, path: string, body?: unknown) =>
      call(containers.origin, method, path, { token, ...(body === undefined ? {} : { body }) })
    const functions = base.replace('/workspaces/', '/functions/')
    containers.withProfile('functions', { FUNCTIONS_URL: 'http://functions:4000' })
    await containers.compose('up', '-d', '--wait', '--no-build')
    const double = { language: 'js', code: 'return n * 2', parameters: { n: { type: 'number' } } }
    const half = { language: 'python', code: 'return n / 2', parameters: { n: { type: 'number' } } }
    for (const [name, declared] of Object.entries({ double, half }))
      expect((await send('PUT', `${functions}/${name}`, declared)).status).toBe(200)
    const run = async (name: string) => {
      const startedAt = performance.now()
      const { json } = await send('POST', `${functions}/run/${name}`, { parameters: { n: 4 } })
      return { result: json.result, ms: Math.round(performance.now() - startedAt) }
    }
    const [cold, warm, python] = [await run('double'), await run('double'), await run('half')]
    expect([cold.result, warm.result, python.result]).toEqual([8, 8, 2])
    note(`functions: first call ${cold.ms} ms, the next ${warm.ms}, first one of Python ${python.ms}`)

    const inside = (...args: string[]) => containers.compose('exec', '-T', 'functions', ...args)
    expect((await inside('ls', '/run/platform')).trim()).toBe('internal-api-key')
    const seen = await inside('sh', '-c', 'cat /proc/1/environ; cat /run/platform/* /etc/platform/*')
    const others = await containers.compose(
      ...['exec', '-T', 'api-gateway', 'sh', '-c'],
      'for file in /run/platform/*; do [ $file = /run/platform/internal-api-key ] || { cat $file; echo; }; done',
    )
    const secrets = others.split('\n').filter((secret) => secret.length > 20)
    expect(secrets).toHaveLength(5)
    expect(secrets.filter((secret) => seen.includes(secret))).toEqual([])
    expect(await inside('getent', 'hosts', 'runtime')).toContain('runtime')
    await expect(inside('getent', 'hosts', 'postgres')).rejects.toThrow()

    const doubling = {
      slug: 'doubling',
      name: 'doubling',
      when: { events: ['doubled'] },
      do: [
        { 'Custom Code.run': { function: 'double', parameters: { n: '{{payload.n}}' }, output: 'twice' } },
        { emit: { event: 'doubled.done', payload: { twice: '{{twice}}' } } },
      ],
    }
    await saveAutomation(containers.origin, token, base.split('/').at(-1) ?? '', doubling)
    const [id = ''] = await containers.ids('functions')
    const payloads = Array.from({ length: 40 }, (_, n) => n)
    await underLoad('kill -9 of functions, with 40 runs that call one', async () => {
      const emit = (n: number) =>
        send('POST', `${base}/events`, { events: [{ type: 'doubled', payload: { n } }] })
      await Promise.all(payloads.slice(0, 20).map(emit))
      await containers.kill(id)
      await Promise.all(payloads.slice(20).map(emit))
    })
    const done = async () => {
      const { json } = await send('GET', `${base}/events?limit=100&types=doubled.done`)
      return (json.result.events as { payload: { twice: number } }[]).map(({ payload }) => payload.twice)
    }
    await expect
      .poll(async () => (await done()).sort((one, other) => one - other), { timeout: 60_000 })
      .toEqual(payloads.map((n) => n * 2))
  })

  test('is away for a moment only when the only instance is made anew', { timeout: 240_000 }, async () => {
    for (const service of services) {
      const recreate = () =>
        containers.compose('up', '-d', '--wait', '--no-build', '--no-deps', '--force-recreate', service)
      const { misses, outageMs } = await underLoad(`recreating ${service}`, recreate)
      expect(misses.filter((miss) => !honest(miss))).toEqual([])
      expect(outageMs, service).toBeLessThan(OUTAGE_MS)
    }
    await expect.poll(stored, { timeout: 30_000 }).toBeGreaterThanOrEqual(acknowledged)
    note(`${acknowledged} events were acknowledged, ${await stored()} are stored`)
    const memory = await Promise.all(
      [...services, 'functions', 'postgres', 'valkey', 'nats'].map(async (service) => {
        const text = await containers.compose('stats', '--no-stream', '--format', '{{.MemUsage}}', service)
        return `${service} ${text.split('/')[0]?.trim()}`
      }),
    )
    note(`memory: ${memory.join(', ')}`)
  })
})
