import { runFunction } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime
let workspace: TestWorkspace
beforeAll(async () => {
  runtime = await startRuntime({ env: { REQUEST_MAX_SIZE: '2kb' } })
  workspace = await runtime.workspace({ main: { output: 1 } })
  await workspace.declare({
    add: {
      language: 'javascript',
      code: 'console.log("adding"); return a + b',
      parameters: { a: { type: 'number', required: true }, b: { type: 'number', required: false } },
      validateParameters: true,
    },
    fail: 'console.warn("soon")\nthrow new TypeError("not like this")',
    python: { language: 'python', code: 'return a * 2', parameters: { a: { type: 'number' } } },
  })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const run = (functionName: string, parameters?: Record<string, unknown>, userId = 'ada') =>
  runtime.as({ userId })(runFunction, {
    params: { workspaceId: workspace.id, functionName },
    ...(parameters === undefined ? {} : { body: { parameters } }),
  })

describe('POST /v2/functions/:workspaceId/run/:functionName', () => {
  test('answers what the function returned, what it wrote, and how long it took', async () => {
    expect(await run('add', { a: 1, b: 2 })).toEqual({
      result: 3,
      logs: [{ level: 'info', text: 'adding', at: expect.stringMatching(/^\d{4}-.+Z$/) }],
      duration: expect.any(Number),
    })
  })

  test('calls the function as it was saved last', async () => {
    const other = await runtime.workspace({})
    const ask = () =>
      runtime.as({ userId: 'ada' })(runFunction, { params: { workspaceId: other.id, functionName: 'f' } })
    await other.declare({ f: 'return 1' })
    expect((await ask()).result).toBe(1)
    await other.declare({ f: 'return 2' })
    expect((await ask()).result).toBe(2)
    await other.declare({})
    await expect(ask()).rejects.toMatchObject({ name: 'ObjectNotFoundError' })
  })

  test('tells what was thrown with the line of the code, and what was written before', async () => {
    await expect(run('fail')).rejects.toMatchObject({
      name: 'FunctionError',
      status: 400,
      message: expect.stringContaining('not like this'),
      details: { function: 'fail', reason: 'threw', line: 2, logs: [{ text: 'soon' }] },
    })
  })

  test('refuses parameters it does not take, and too many of them', async () => {
    await expect(run('add', { a: 'x', b: 1 })).rejects.toMatchObject({ name: 'InvalidArgumentsError' })
    await expect(run('add', { b: 1 })).rejects.toMatchObject({ name: 'InvalidArgumentsError' })
    expect((await run('add', { a: 1 })).result).toBeNull()
    await expect(run('fail', { text: 'x'.repeat(3000) })).rejects.toMatchObject({
      name: 'PayloadTooLarge',
      message: expect.stringContaining('REQUEST_MAX_SIZE'),
    })
  })

  test('is for those who may execute as members; others find nothing', async () => {
    await expect(run('missing')).rejects.toMatchObject({
      status: 404,
      message: 'There is no function "missing" in this workspace.',
    })
    await expect(run('add', { a: 1, b: 1 }, 'eve')).rejects.toMatchObject({ name: 'ObjectNotFoundError' })
    const params = { workspaceId: workspace.id, functionName: 'add' }
    await expect(runtime.nobody(runFunction, { params })).rejects.toMatchObject({ status: 401 })
    const elsewhere = { workspaceId: 'a123456789012345', functionName: 'add' }
    await expect(runtime.as({ userId: 'ada' })(runFunction, { params: elsewhere })).rejects.toMatchObject({
      status: 404,
    })
  })
})
