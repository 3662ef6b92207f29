import { execFileSync } from 'node:child_process'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  BUNDLES_ARE_BUILT,
  freePorts,
  type Platform,
  platformSecrets,
  spawnPlatform,
  startAllInOne,
} from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { administrator, call, newWorkspace, saveAutomation } from './support/caller.ts'

/** Asked by a function, it answers when it is told to. */
interface Door {
  readonly url: string
  readonly knocks: number
  open(): void
  close(): void
}

async function startDoor(): Promise<Door> {
  const waiting: (() => void)[] = []
  let knocks = 0
  const server: Server = createServer((_, response) => {
    knocks += 1
    waiting.push(() => void response.end('"open"'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    get knocks() {
      return knocks
    },
    open: () => {
      for (const answer of waiting.splice(0)) answer()
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Answers what it is shown. */
async function startMirror() {
  const shown: (string | undefined)[] = []
  const server = createServer(({ headers }, response) => {
    shown.push(headers.authorization)
    response.end(JSON.stringify({ shown: headers.authorization }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    shown,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const total = {
  language: 'ts',
  code: 'console.log("adding", items.length)\nreturn items.reduce((sum: number, one: number) => sum + one, 0)',
  parameters: { items: { type: 'array', items: { type: 'number' } } },
  validateParameters: true,
}
const knock = { language: 'js', code: 'return await (await fetch(url)).json()', parameters: { url: {} } }

const calling = (name: string, parameters: unknown, when: object) => ({
  when,
  do: [
    { 'Custom Code.run': { function: name, parameters, output: 'out' } },
    { emit: { event: 'told', payload: { out: '{{out}}' } } },
  ],
  output: '{{out}}',
})

/** Processes below this one. */
function descendantsOf(pid: number): number[] {
  const lines = execFileSync('ps', ['-eo', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n')
  const pairs = lines.map((line) => line.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] =>
    pairs.filter(([, of]) => of === parent).flatMap(([child = 0]) => [child, ...below(child)])
  return below(pid)
}

const commandOf = (pid: number): string =>
  execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' })

const workersOf = (pid: number): number[] =>
  descendantsOf(pid).filter(
    (one) => /custom-code|worker/.test(commandOf(one)) && !/postgres/.test(commandOf(one)),
  )

async function openWorkspace(platform: Platform) {
  const { token } = await administrator(platform)
  const id = await newWorkspace(platform.origin, token)
  const send = (method: string, path: string, body?: unknown) =>
    call(platform.origin, method, path, { token, ...(body === undefined ? {} : { body }) })
  return {
    id,
    send,
    declare: (name: string, declared: object) => send('PUT', `/v2/functions/${id}/${name}`, declared),
    save: (automation: object) => saveAutomation(platform.origin, token, id, automation),
    trigger: (path: string, body: unknown) => send('POST', `/v2/workspaces/${id}/webhooks/${path}`, body),
  }
}

describe('functions beside the runtime', () => {
  let platform: Platform
  let door: Door
  beforeAll(async () => {
    door = await startDoor()
    platform = await startAllInOne({ FETCH_ALLOWED_HOSTS: '127.0.0.0/8' })
  })
  afterAll(async () => {
    door.close()
    await platform[Symbol.asyncDispose]()
  })

  test('are declared over HTTP, called by a URL trigger, and seen in the steps of the run', async () => {
    const { id, send, declare, save, trigger } = await openWorkspace(platform)
    const declared = await declare('total', total)
    expect([declared.status, declared.json.language]).toEqual([200, 'typescript'])
    await save({ slug: 'sum', ...calling('total', { items: '{{body.items}}' }, { endpoint: true }) })
    const answer = await trigger('sum', { items: [1, 2, 3] })
    expect([answer.status, answer.json]).toEqual([200, 6])

    const { json: alone } = await send('POST', `/v2/functions/${id}/run/total`, {
      parameters: { items: [4, 5] },
    })
    expect(alone).toMatchObject({ result: 9, logs: [{ level: 'info', text: 'adding 2' }] })

    const sum = (items: unknown) => ({ 'Custom Code.run': { function: 'total', parameters: { items } } })
    await save({ slug: 'failing', when: { endpoint: true }, do: [sum([7, 8]), sum(['a'])] })
    const failed = await trigger('failing', {})
    expect([failed.status, failed.json.error]).toEqual([400, 'InvalidArgumentsError'])
    const run = await send('GET', `/v2/workspaces/${id}/runs/${failed.headers.get('x-platform-run-id')}`)
    expect(run.json.steps).toMatchObject([
      {
        instruction: 'Custom Code.run',
        status: 'done',
        input: { function: 'total', parameters: { items: [7, 8] } },
        output: 15,
        attempts: [{ outcome: 'done', durationMs: expect.any(Number) }],
        logs: [{ level: 'info', text: 'adding 2' }],
      },
      { instruction: 'Custom Code.run', status: 'failed' },
    ])
  })

  test('that can not run are refused with line and column when they are saved', async () => {
    const { declare } = await openWorkspace(platform)
    const refused = await declare('bad', { language: 'js', code: 'const a = 1\nconst = 2' })
    expect(refused.status).toBe(400)
    expect(refused.json).toMatchObject({
      error: 'InvalidFunction',
      message: expect.stringMatching(/^The function "bad", line 2, column \d+: .+\.$/),
      details: [{ function: 'bad', path: 'code', line: 2, column: expect.any(Number) }],
    })
  })

  test('lose one call when their process is killed', async () => {
    const { declare, save, trigger } = await openWorkspace(platform)
    await declare('knock', knock)
    await declare('total', total)
    await save({ slug: 'knock', ...calling('knock', { url: door.url }, { endpoint: true }) })
    await save({ slug: 'sum', ...calling('total', { items: [1, 2] }, { endpoint: true }) })
    await trigger('sum', {})
    const before = door.knocks
    const struck = trigger('knock', {})
    await expect.poll(() => door.knocks, { timeout: 20_000 }).toBe(before + 1)
    for (const pid of workersOf(platform.process('all-in-one').pid)) process.kill(pid, 'SIGKILL')
    const answer = await struck
    expect([answer.status, answer.json.error]).toEqual([400, 'FunctionError'])
    expect((await trigger('sum', {})).json).toBe(3)
  })
})

describe('functions in a service of their own', () => {
  test('are waited for by runs while it is away', async () => {
    const [port = 0] = await freePorts(1)
    const url = `http://127.0.0.1:${port}`
    const env = {
      ...platformSecrets,
      NODE_ENV: 'development',
      HOST: '127.0.0.1',
      LOG_LEVEL: 'info',
      PORT: String(port),
      FETCH_ALLOWED_HOSTS: '127.0.0.0/8',
    }
    await using mirror = await startMirror()
    const main =
      process.env[BUNDLES_ARE_BUILT] === '1' ? 'dist/functions/main.js' : 'apps/functions/src/main.ts'
    const start = async () => {
      const started = spawnPlatform('functions', main, env)
      await started.printed(/service is ready/)
      return started
    }
    let service = await start()
    await using stack = new AsyncDisposableStack()
    stack.defer(async () => void (await service.stop()))
    const platform = stack.use(await startAllInOne({ FUNCTIONS_URL: url }))
    const { id, send, declare, save, trigger } = await openWorkspace(platform)
    expect((await declare('total', total)).status).toBe(200)
    const slug = 'sum'
    await save({ slug, ...calling('total', { items: [1, 2] }, { endpoint: true, events: ['count'] }) })
    expect((await trigger(slug, {})).json).toBe(3)
    expect(workersOf(platform.process('all-in-one').pid)).toEqual([])

    // Its fetches have the secrets that references stand for, and it sees none of them.
    const keep = {
      module: 'secrets',
      parameters: { name: 'key', scope: 'workspace', value: 'sk-of-the-door' },
    }
    const ask = 'return await (await fetch(url, { headers: { authorization: key } })).json()'
    await declare('ask', { language: 'js', code: ask, parameters: { url: {}, key: {} } })
    await save({
      slug: 'ask',
      when: { endpoint: true },
      do: [
        { run: { ...keep, function: 'set' } },
        { run: { ...keep, function: 'get', parameters: { name: 'key', scope: 'workspace' }, output: 'key' } },
        {
          'Custom Code.run': {
            function: 'ask',
            parameters: { url: mirror.url, key: '{{key}}' },
            output: 'out',
          },
        },
      ],
      output: '{{out}}',
    })
    expect((await trigger('ask', {})).json).toEqual({ shown: expect.stringMatching(/^\$secret:/) })
    expect(mirror.shown).toEqual(['sk-of-the-door'])

    await service.stop('SIGKILL')
    await send('POST', `/v2/workspaces/${id}/events`, { events: [{ type: 'count', payload: {} }] })
    const runs = async () =>
      (await send('GET', `/v2/workspaces/${id}/runs?limit=5`)).json.runs as { status: string }[]
    await expect.poll(async () => JSON.stringify(await runs()), { timeout: 20_000 }).toContain('running')
    const refused = await send('POST', `/v2/functions/${id}/run/total`, { parameters: { items: [1] } })
    expect([refused.status, refused.json.error, refused.headers.get('retry-after')]).toEqual([
      503,
      'ServiceUnavailable',
      '1',
    ])
    service = await start()
    await expect
      .poll(async () => (await runs()).map(({ status }) => status), { timeout: 30_000 })
      .toEqual(['succeeded', 'succeeded', 'succeeded'])
  })
})
