import { rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { one, openDatabase, sql, startEmbedded } from '@platform/database'
import { freshDirectory, type Platform, processTree, startAllInOne } from '@platform/testing/platform'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { administrator, call, newWorkspace, saveAutomation } from './support/caller.ts'
import { commandOf } from './support/processes.ts'

/** Beside them nothing may be noticed but a pause. */
const NEIGHBOURS = 20

const opened = new AsyncDisposableStack()
let platform: Platform
let databaseUrl: string
let token: string
let workspace: string
let neighbours: string

beforeAll(async () => {
  const directory = freshDirectory('processes-that-die-')
  opened.defer(() => rmSync(directory, { recursive: true, force: true }))
  const server = await startEmbedded(`${directory}/postgres`)
  opened.defer(() => server.stop())
  databaseUrl = server.url
  const env = { RUNTIME_PROCESSES: '1', DATABASE_URL: databaseUrl, FETCH_ALLOWED_HOSTS: '127.0.0.0/8' }
  platform = opened.use(await startAllInOne(env, undefined, 'e2e/support/planted-faults.ts'))
  token = (await administrator(platform)).token
  workspace = await newWorkspace(platform.origin, token)
  neighbours = await newWorkspace(platform.origin, token)
  await saveAutomation(platform.origin, token, neighbours, {
    slug: 'greet',
    name: 'greet',
    when: { endpoint: true, events: ['neighbour.cause'] },
    do: [{ set: { name: 'greeting', value: 'Hello' } }, { emit: { event: 'neighbour.done', payload: {} } }],
    output: '{{greeting}}',
  })
}, 120_000)
afterAll(() => opened.disposeAsync())

const children = (): number[] =>
  processTree(platform.process('all-in-one').pid).filter(
    (pid) => pid !== platform.process('all-in-one').pid && commandOf(pid).includes('planted-faults'),
  )

const child = (): number => {
  const [found] = children()
  if (found === undefined) throw new Error('No process executes automations.')
  return found
}

/** How often a process had to be replaced. */
const deaths = () => platform.process('all-in-one').output().split('another takes its place').length - 1

const greet = () =>
  call(platform.origin, 'POST', `/v2/workspaces/${neighbours}/webhooks/greet`, { token, body: {} })
const served = () =>
  vi.waitFor(async () => expect((await greet()).status).toBe(200), { timeout: 20_000, interval: 100 })

const emit = (to: string, type: string, count: number) =>
  call(platform.origin, 'POST', `/v2/workspaces/${to}/events`, {
    token,
    body: { events: Array.from({ length: count }, () => ({ type, payload: {} })) },
  })

const runsOf = async (of: string, query: string) =>
  (await call(platform.origin, 'GET', `/v2/workspaces/${of}/runs?limit=100&${query}`, { token })).json.runs

const poison = (slug: string, text: string, when: object) =>
  saveAutomation(platform.origin, token, workspace, {
    slug,
    name: slug,
    when,
    do: [{ set: { name: 'text', value: text } }, { set: { name: 'shown', value: '{% upper({{text}}) %}' } }],
    output: '{{shown}}',
  })

test('a URL run that hangs is 503, its automation is refused until it is saved anew, and others go on', async () => {
  await poison('hangs', 'planted hang', { endpoint: true })
  const hang = () =>
    call(platform.origin, 'POST', `/v2/workspaces/${workspace}/webhooks/hangs`, { token, body: {} })
  const hung = await hang()
  expect(hung.status).toBe(503)
  expect(Number(hung.headers.get('retry-after'))).toBeGreaterThan(0)
  // Where starting another process takes longer than the first refusal, it hangs once more, and is refused for longer.
  const refused = await vi.waitFor(
    async () => {
      await served()
      const answer = await hang()
      expect(answer.json.message).toContain('The automation "hangs" has ended the process that executed it')
      return answer
    },
    { timeout: 60_000, interval: 100 },
  )
  expect(refused.status).toBe(503)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const saved = await call(platform.origin, 'PATCH', `/v2/workspaces/${workspace}/automations/hangs`, {
    token,
    body: { do: [{ set: { name: 'shown', value: 'well' } }] },
  })
  expect(saved.status).toBe(200)
  expect((await hang()).json).toBe('well')
})

describe('a run of an event that', () => {
  test.each([
    ['hangs', 'hang'],
    ['aborts', 'abort'],
    ['fills the heap', 'heap'],
  ])(
    '%s is found within two deaths and failed, and all others complete',
    async (_, fault) => {
      await served()
      const before = deaths()
      const ended = async () => (await runsOf(neighbours, 'trigger=event&status=succeeded')).length
      const endedBefore = await ended()
      await poison(`event-${fault}`, `planted ${fault}`, { events: [`poison.${fault}`] })
      await emit(workspace, `poison.${fault}`, 1)
      for (let count = 0; count < NEIGHBOURS; count += 1) await emit(neighbours, 'neighbour.cause', 1)
      const [failed] = await vi.waitFor(
        async () => {
          const found = await runsOf(workspace, `status=failed&automation=event-${fault}`)
          expect(found).toHaveLength(1)
          return found
        },
        { timeout: 60_000, interval: 250 },
      )
      expect(failed).toMatchObject({
        deadLetter: true,
        error: {
          automationSlug: `event-${fault}`,
          instruction: 'do[1].set',
          message: expect.stringContaining(`at do[1].set of the automation "event-${fault}"`),
        },
      })
      await vi.waitFor(async () => expect((await ended()) - endedBefore).toBe(NEIGHBOURS), {
        timeout: 30_000,
        interval: 250,
      })
      // Lines are written a moment after they are logged.
      await vi.waitFor(() => expect(deaths() - before).toBe(2))
    },
    120_000,
  )
})

test('a hundred answers of a megabyte that come in together end no process', async () => {
  await served()
  const answer = JSON.stringify(Array.from({ length: 10_000 }, (_, id) => ({ id, text: 'x'.repeat(80) })))
  const asking: ServerResponse[] = []
  const outside = createServer((_, response) => {
    asking.push(response.setHeader('content-type', 'application/json'))
    if (asking.length === 100) for (const one of asking) one.end(answer)
  })
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => void outside.close())
  await saveAutomation(platform.origin, token, workspace, {
    slug: 'large',
    name: 'large',
    when: { endpoint: true },
    do: [
      { fetch: { url: `http://127.0.0.1:${(outside.address() as AddressInfo).port}`, output: 'rows' } },
      { set: { name: 'last', value: '{{rows[9999].id}}' } },
    ],
    output: '{{last}}',
  })
  const before = deaths()
  const url = `/v2/workspaces/${workspace}/webhooks/large`
  const answers = await Promise.all(
    Array.from({ length: 100 }, () => call(platform.origin, 'POST', url, { token, body: {} })),
  )
  expect(answers.filter(({ status, json }) => status === 200 && json === 9999)).toHaveLength(100)
  expect(deaths()).toBe(before)
}, 60_000)

test.each(['SIGKILL', 'SIGSTOP'] as const)('a process that is ended by %s is replaced', async (signal) => {
  await served()
  const pid = child()
  process.kill(pid, signal)
  await vi.waitFor(() => expect(commandOf(pid)).toBe(''), { timeout: 10_000 })
  await served()
  expect(child()).not.toBe(pid)
})

test('a run whose processes others have killed three times is to blame for nothing, and ends well', async () => {
  await served()
  await saveAutomation(platform.origin, token, workspace, {
    slug: 'long',
    name: 'long',
    when: { events: ['long.cause'] },
    do: [
      {
        repeat: {
          until: 1e9,
          do: [{ set: { name: 'n', value: '{{$index}}' } }],
        },
      },
    ],
  })
  await emit(workspace, 'long.cause', 1)
  await using database = await openDatabase(databaseUrl)
  const run = () =>
    one<{ id: string; attempt: number; status: string }>(
      database,
      sql`select id, attempt, status from runtime.runs where automation_slug = 'long'`,
    )
  // Whoever takes it over may be so fast that it is never seen to wait.
  const begun = (attempt: number) =>
    vi.waitFor(async () => expect(await run()).toMatchObject({ attempt, status: 'running' }), {
      timeout: 20_000,
      interval: 50,
    })
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await begun(attempt)
    for (const pid of children()) process.kill(pid, 'SIGKILL')
  }
  await begun(4)
  const { id } = await run()
  await call(platform.origin, 'POST', `/v2/workspaces/${workspace}/runs/${id}/cancel`, { token, body: {} })
  await vi.waitFor(async () => expect((await run()).status).toBe('cancelled'), {
    timeout: 20_000,
    interval: 100,
  })
  expect(await runsOf(workspace, 'automation=long&deadLetter=true')).toEqual([])
})

test('processes end with the one that has started them', async () => {
  await served()
  const pid = child()
  platform.process('all-in-one').child.kill('SIGKILL')
  await vi.waitFor(() => expect(commandOf(pid)).toBe(''), { timeout: 5000 })
})
