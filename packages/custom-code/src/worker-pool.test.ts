import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { call, failureOf, opened, resultOf } from '../test/opened.ts'

/** The processes of functions that this one has started. */
function workers(): number[] {
  const children = execFileSync('ps', ['-o', 'pid=,args=', '--ppid', String(process.pid)], {
    encoding: 'utf8',
  })
  return children
    .split('\n')
    .filter((line) => line.includes('/worker/functions-worker.ts'))
    .map((line) => Number.parseInt(line, 10))
}

const SLOW = 'await new Promise((resolve) => setTimeout(resolve, ms)); return ms'

test('a process that is killed costs the call it ran, and no other', async () => {
  const code = opened({ FUNCTIONS_WORKERS: '3' })
  const before = new Set(workers())
  const killed = failureOf(code, SLOW, { ms: 15_000 })
  const others = ['w2', 'w3'].map((workspaceId) => resultOf(code, SLOW, { ms: 3000 }, { workspaceId }))
  await expect.poll(() => workers().filter((pid) => !before.has(pid)).length).toBe(3)
  const [first = 0] = workers().filter((pid) => !before.has(pid))
  process.kill(first, 'SIGKILL')
  expect(await killed).toMatchObject({ reason: 'killed', message: expect.stringContaining('call it again') })
  expect(await Promise.all(others)).toEqual([3000, 3000])
  expect(await resultOf(code, 'return 1')).toBe(1)
})

test('a workspace that takes all it can leaves a process to the others', async () => {
  const code = opened({ FUNCTIONS_WORKERS: '3', FUNCTIONS_RUN_TIMEOUT: '10000' })
  const greedy = Array.from({ length: 20 }, () => call(code, SLOW, { ms: 9000 }).catch(() => undefined))
  await resultOf(code, 'return 1', {}, { workspaceId: 'w2' })
  const startedAt = performance.now()
  for (let n = 0; n < 5; n += 1) expect(await resultOf(code, 'return 1', {}, { workspaceId: 'w2' })).toBe(1)
  expect(performance.now() - startedAt).toBePrompt(3000)
  await code[Symbol.asyncDispose]()
  await Promise.all(greedy)
})

test('a process serves more workspaces than it keeps isolates for', async () => {
  const code = opened({ FUNCTIONS_WORKERS: '2' })
  const names = Array.from({ length: 30 }, (_, number) => `workspace-${number}`)
  for (const workspaceId of [...names, ...names])
    expect(await resultOf(code, 'return name', { name: workspaceId }, { workspaceId })).toBe(workspaceId)
})

test('more than may wait are refused at once, of one workspace earlier than of all', async () => {
  const code = opened({ FUNCTIONS_WORKERS: '2', FUNCTIONS_MAX_WAITING: '20' })
  const held = Array.from({ length: 3 }, () => call(code, SLOW, { ms: 9000 }).catch(() => undefined))
  const failure = await failureOf(code, 'return 1')
  expect(failure).toMatchObject({ reason: 'busy', message: expect.stringContaining('too many wait') })
  await code[Symbol.asyncDispose]()
  await Promise.all(held)
})

test('a call ends with its signal, before and after it has begun', async () => {
  const code = opened({ FUNCTIONS_WORKERS: '2' })
  const stopping = new AbortController()
  const calls = [1, 2].map(() => call(code, 'for (;;);', {}, { signal: stopping.signal }))
  await expect.poll(() => workers().length).toBeGreaterThan(0)
  stopping.abort(new Error('The run is over.'))
  for (const one of await Promise.allSettled(calls))
    expect(one).toMatchObject({ status: 'rejected', reason: { message: 'The run is over.' } })
  expect(await resultOf(code, 'return 1')).toBe(1)
})

test('a process ends when nothing was asked of it for long, and with its service', async () => {
  const code = opened({ INACTIVE_NODE_WORKER_DELETION_TIMEOUT: '1' })
  const before = new Set(workers())
  const mine = () => workers().filter((pid) => !before.has(pid))
  await resultOf(code, 'return 1')
  expect(mine()).toHaveLength(1)
  await expect.poll(mine).toEqual([])
  await resultOf(code, 'return 1')
  await code[Symbol.asyncDispose]()
  await expect.poll(mine).toEqual([])
})

test.runIf(existsSync('/proc/self/environ'))(
  'a process has no environment, and may write no file and dump nothing',
  async () => {
    const code = opened({ FUNCTIONS_WORKERS: '2' })
    const before = new Set(workers())
    await resultOf(code, 'return 1')
    const [pid = 0] = workers().filter((one) => !before.has(one))
    expect(readFileSync(`/proc/${pid}/environ`, 'utf8').replaceAll('\0', ' ').trim()).toMatch(
      /^(PWD=\S+|OLDPWD=\S+|SHLVL=\d|_=\S+|\s)*$/,
    )
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
    expect(limits).toMatch(/Max core file size\s+0\s+0/)
    expect(limits).toMatch(/Max file size\s+0\s+0/)
    expect(limits).toMatch(/Max data size\s+\d+/)
    const flags = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    expect(flags).toContain('--disallow-code-generation-from-strings')
    expect(flags).toContain('--permission')
  },
)
