import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { freePorts } from '@platform/testing/platform'
import { describe, expect, test, vi } from 'vitest'

const file = (name: string) => JSON.stringify(new URL(name, import.meta.url).href)
const script = (body: string) => `
  const { run } = await import(${file('./index.ts')})
  const { tinyService } = await import(${file('../test/testing.ts')})
  ${body}`

/** Half of what a process costs is compiling what the one before has compiled already. */
const NODE_COMPILE_CACHE = process.env.COMPILED_PROGRAMS

/** A process that runs tiny services. `ready` is what it says when it is ready. */
function start(body: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script(body)], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE, LOG_LEVEL: 'warn', SHUTDOWN_DELAY_MS: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    output.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.err += chunk
  })
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal, ...output }))
  const ready = async () => {
    await vi.waitFor(() => expect(output.out).toMatch(/ready at (\S+)/), { timeout: 10_000 })
    return /ready at (\S+)/.exec(output.out)?.[1] ?? ''
  }
  return { child, output, exited, ready, [Symbol.dispose]: () => void child.kill('SIGKILL') }
}

const sayReady = `{ ready: (running) => console.log('ready at ' + running.at(-1).url) }`
const plain = `await run([tinyService().service], process.env, ${sayReady})`
const headers = { 'x-platform-internal-key': 'internal-key-of-the-tests-0123456789' }

describe('a process', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with 0 on %s, though a client keeps its connection',
    async (signal) => {
      using tiny = start(plain)
      const url = await tiny.ready()
      expect((await fetch(`${url}/hello`, { headers })).status).toBe(200)
      tiny.child.kill(signal)
      expect(await tiny.exited).toMatchObject({ code: 0, err: '' })
    },
  )

  test('finishes the request in flight before it ends', async () => {
    using tiny = start(`
      const { service, asked, finish } = tinyService()
      asked.then(() => { process.kill(process.pid, 'SIGTERM'); setTimeout(finish, 200) })
      await run([service], process.env, ${sayReady})`)
    const url = await tiny.ready()
    const answer = await fetch(`${url}/slow`, { headers })
    expect([answer.status, await answer.json()]).toEqual([200, { slow: true }])
    expect(await tiny.exited).toMatchObject({ code: 0 })
  })

  test('ends with 1 on the second signal, or when its grace is over', async () => {
    const hanging = `
      const { service, asked } = tinyService()
      asked.then(() => process.kill(process.pid, 'SIGTERM'))
      await run([service], process.env, ${sayReady})`
    using impatient = start(hanging)
    const request = fetch(`${await impatient.ready()}/slow`, { headers }).catch(() => undefined)
    await vi.waitFor(async () => expect(await isListening(await impatient.ready())).toBe(false), {
      timeout: 5000,
    })
    impatient.child.kill('SIGTERM')
    expect(await impatient.exited).toMatchObject({ code: 1 })
    await request

    const stuck = `
      const stay = () => new Promise(() => {
        console.log('stuck')
        setInterval(() => {}, 1000)
      })
      const parts = { jobs: [{ name: 'stuck', everyMs: 1, run: stay }] }
      await run([tinyService({ parts }).service], process.env, ${sayReady})`
    using late = start(stuck, { SHUTDOWN_GRACE_MS: '300' })
    await vi.waitFor(() => expect(late.output.out).toContain('stuck'), { timeout: 10_000 })
    late.child.kill('SIGTERM')
    expect(await late.exited).toMatchObject({ code: 1 })
  })

  test('cuts what takes longer than its patience, and still ends with 0', async () => {
    using tiny = start(
      `
      const { service, asked } = tinyService()
      asked.then(() => process.kill(process.pid, 'SIGTERM'))
      await run([service], process.env, ${sayReady})`,
      { SHUTDOWN_GRACE_MS: '2000' },
    )
    const answer = fetch(`${await tiny.ready()}/slow`, { headers })
    await expect(answer).rejects.toThrow()
    expect(await tiny.exited).toMatchObject({ code: 0 })
  })

  test.each([
    ['alone in production', { NODE_ENV: 'production' }, 1, true],
    ['in development', { NODE_ENV: 'development' }, 1, false],
    ['with others in one process', { NODE_ENV: 'production' }, 2, false],
  ])(
    '%s, it answers on for a while after it is not ready: load balancers see it',
    async (_, env, count, isPatient) => {
      using tiny = start(
        `delete process.env.SHUTDOWN_DELAY_MS
       const both = [tinyService({ name: 'runtime' }).service, tinyService().service]
       await run(both.slice(-${count}), process.env, ${sayReady})`,
        { ...env, SHUTDOWN_GRACE_MS: '8000' },
      )
      const url = await tiny.ready()
      const startedAt = performance.now()
      tiny.child.kill('SIGTERM')
      if (isPatient) {
        await vi.waitFor(async () => expect((await fetch(`${url}/sys/readyz`)).status).toBe(503))
        expect((await fetch(`${url}/hello`, { headers })).headers.get('connection')).toBe('close')
      }
      expect(await tiny.exited).toMatchObject({ code: 0 })
      expect(performance.now() - startedAt > 750).toBe(isPatient)
    },
  )

  test('ends with 0 though something in it was forgotten, and says what', async () => {
    using tiny = start(`
      setInterval(() => undefined, 1000)
      await run([tinyService().service], process.env, ${sayReady})`)
    await tiny.ready()
    tiny.child.kill('SIGTERM')
    const { code, out } = await tiny.exited
    expect(code).toBe(0)
    expect(out).toMatch(/"left":\[[^\]]*"Timeout"/)
  })

  test('with a bug it does not answer on', async () => {
    using tiny = start(`setTimeout(() => { throw new Error('the bug') }, 300); ${plain}`, {
      SHUTDOWN_DELAY_MS: '20000',
    })
    expect(await tiny.exited).toMatchObject({ code: 1 })
  })

  test('stops its services in reverse order of their start', async () => {
    using tiny = start(`
      const until = (name) => (signal) => new Promise((done) => {
        console.log(name + ' job')
        signal.addEventListener('abort', () => {
          console.log('stops ' + name)
          done()
        })
      })
      const of = (name) =>
        tinyService({ name, parts: { jobs: [{ name: 'j', everyMs: 1, run: until(name) }] } }).service
      await run([of('workspaces'), of('runtime'), of('api-gateway')], process.env, ${sayReady})`)
    for (const name of ['workspaces', 'runtime', 'api-gateway'])
      await vi.waitFor(() => expect(tiny.output.out).toContain(`${name} job`), { timeout: 10_000 })
    tiny.child.kill('SIGTERM')
    const { out, code } = await tiny.exited
    expect(code).toBe(0)
    expect(out.match(/stops .*/g)).toEqual(['stops api-gateway', 'stops runtime', 'stops workspaces'])
  })

  test('that is told to stop while a store is down ends with 0 and complains about nothing', async () => {
    using tiny = start(
      `
      setTimeout(() => process.kill(process.pid, 'SIGTERM'), 300)
      await run([tinyService({ failures: 1000 }).service], process.env, ${sayReady})`,
      { LOG_LEVEL: 'silent' },
    )
    expect(await tiny.exited).toEqual({ code: 0, signal: null, out: '', err: '' })
  })

  test.each([
    ['answers while it waits for a store', '', true],
    ['takes no connection before it is ready, where it is told so', 'true', false],
  ])('%s', async (_, LISTEN_WHEN_READY, listens) => {
    const [port = 0] = await freePorts(1)
    using tiny = start(
      `const notices = { note: () => process.stdout.write('.') }
       await run([tinyService({ failures: 1000, ...notices }).service], process.env, ${sayReady})`,
      { PORT: String(port), LISTEN_WHEN_READY, LOG_LEVEL: 'silent' },
    )
    await vi.waitFor(() => expect(tiny.output.out).toContain('..'), { timeout: 10_000 })
    expect(await isListening(`http://127.0.0.1:${port}`)).toBe(listens)
  })

  test('that meets a bug says so once, stops in order and ends with 1', async () => {
    using tiny = start(`setInterval(() => { throw new Error('the bug') }, 20); ${plain}`)
    const { code, out } = await tiny.exited
    expect(code).toBe(1)
    const lines = out
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
    expect(lines.filter(({ level }) => level === 'fatal')).toMatchObject([{ err: { message: 'the bug' } }])
  })

  test('an unheard rejection is such a bug', async () => {
    using tiny = start(`setTimeout(() => Promise.reject(new Error('unheard')), 300); ${plain}`)
    expect((await tiny.exited).code).toBe(1)
    expect(tiny.output.out).toContain('unheard')
  })

  test('goes on when nobody reads its output any more', async () => {
    using tiny = start(
      `setInterval(() => { console.log('a line'); console.error('a line') }, 5).unref(); ${plain}`,
      {
        LOG_LEVEL: 'debug',
      },
    )
    const url = await tiny.ready()
    closeOutput(tiny.child)
    for (let count = 0; count < 20; count += 1) {
      expect((await fetch(`${url}/hello`, { headers })).status).toBe(200)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    tiny.child.kill('SIGTERM')
    expect((await tiny.exited).code).toBe(0)
  })

  test('stops when the process that started it is gone', async () => {
    const inner = `setInterval(() => {}, 1000); ${plain}`
    const outer = `
      import { spawn } from 'node:child_process'
      const args = ['--input-type=module', '-e', ${JSON.stringify(script(inner))}]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'inherit', 'inherit'] })
      console.log('pid ' + child.pid)`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', outer], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let out = ''
    parent.stdout.on('data', (chunk) => {
      out += chunk
    })
    await vi.waitFor(() => expect(out).toMatch(/ready at/), { timeout: 10_000 })
    const pid = Number(/pid (\d+)/.exec(out)?.[1])
    const url = /ready at (\S+)/.exec(out)?.[1] ?? ''
    parent.kill('SIGKILL')
    await vi.waitFor(async () => expect(await isListening(url)).toBe(false), { timeout: 5000, interval: 100 })
    process.kill(pid, 'SIGKILL')
  })
})

describe('a start that fails', () => {
  test('tells all problems of all services as sentences, never a stack', async () => {
    using tiny = start(
      `const { readConfig } = await import(${file('../../config/src/index.ts')})
       const { service } = tinyService()
       const { z } = await import('zod')
       const PORT = z.coerce.number({ error: 'must be a port number from 0 to 65535' })
       const address = (env) => readConfig(z.object({ OTHER: z.string(), PORT }), env)
       const other = { ...tinyService().service, name: 'runtime', address }
       await run([service, other], process.env)`,
      {
        PORT: 'x',
        SHUTDOWN_GRACE_MS: 'soon',
        INTERNAL_API_KEY: 'changeme',
        CONFIGURED_IN: 'deploy/compose/platform.env',
      },
    )
    const { code, err } = await tiny.exited
    expect(code).toBe(1)
    expect(err).toBe(
      [
        'The configuration has problems:',
        '  SHUTDOWN_GRACE_MS must be a whole number of pieces.',
        '  PORT must be a port number from 0 to 65535.',
        '  INTERNAL_API_KEY must have at least 16 characters.',
        '  INTERNAL_API_KEY is a published or trivial value: generate one, for example with `openssl rand -base64 32`.',
        '  OTHER is required.',
        'Mend this in deploy/compose/platform.env, and start again.',
        '',
      ].join('\n'),
    )
  })

  test('because a secret is not in the file that is named says which variable and which file', async () => {
    using tiny = start(plain, { INTERNAL_API_KEY: '', INTERNAL_API_KEY_FILE: '/none/internal-api-key' })
    expect(await tiny.exited).toMatchObject({
      code: 1,
      err: expect.stringContaining(
        "  INTERNAL_API_KEY_FILE names /none/internal-api-key, which can't be read",
      ),
    })
  })

  test('on a taken port names the port and the variable', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    using tiny = start(plain, { PORT: String(port) })
    const { code, err } = await tiny.exited
    taken.close()
    expect({ code, err }).toEqual({
      code: 1,
      err: `Port ${port} on 127.0.0.1 is taken by another program: stop it, or set PORT to a free port.\n`,
    })
  })

  test('because of a bug is one sentence too', async () => {
    using tiny = start(
      `const build = () => Promise.reject(new TypeError('x is not a function'))
       await run([{ ...tinyService().service, build }], process.env)`,
    )
    expect(await tiny.exited).toMatchObject({
      code: 1,
      err: 'The platform could not start because of a bug: x is not a function.\nSet LOG_LEVEL=debug to see where.\n',
    })
  })

  test('because its environment cannot be made is told the same way', async () => {
    using tiny = start(
      `const complete = () => { throw new Error("The secrets file can't be read") }
       await run([tinyService().service], process.env, { complete })`,
    )
    expect(await tiny.exited).toMatchObject({ code: 1, err: "The secrets file can't be read.\n" })
  })
})

const isListening = (url: string) =>
  fetch(`${url}/sys/livez`).then(
    () => true,
    () => false,
  )

function closeOutput(child: ChildProcess): void {
  child.stdout?.destroy()
  child.stderr?.destroy()
}
