import { testAutomation } from '@platform/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime
let workspace: TestWorkspace

beforeAll(async () => {
  runtime = await startRuntime()
  workspace = await runtime.workspace({
    'tools/sum': { output: '{% {{a}} + {{b}} %}' },
    off: { disabled: true },
    fails: { do: [{ missing: {} }] },
  })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const on = (automationSlug: string, workspaceId = workspace.id) => ({
  params: { workspaceId, automationSlug },
})

describe('testing an automation', () => {
  test('runs it with the payload and answers its output', async () => {
    const output = await runtime.as({})(testAutomation, {
      ...on('tools/sum'),
      body: { payload: { a: 1, b: 2 } },
    })
    expect(output).toBe(3)
    const [event] = await runtime.events(workspace.id, 'runtime.automations.executed')
    expect(event).toMatchObject({ payload: { slug: 'tools/sum', output: 3 }, source: { userId: 'ada' } })
  })

  test('refuses a payload that is no object', async () => {
    const attempt = runtime.as({})(testAutomation, { ...on('tools/sum'), body: { payload: [1] as never } })
    await expect(attempt).rejects.toMatchObject({ name: 'RequestValidationError', status: 400 })
  })

  test('needs a credential', async () => {
    const attempt = runtime.nobody(testAutomation, { ...on('tools/sum'), body: {} })
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  test('is for members: to others the workspace is not there', async () => {
    const eve = runtime.as({ userId: 'eve' })
    const foreign = await eve(testAutomation, { ...on('tools/sum'), body: {} }).catch(
      (error: unknown) => error,
    )
    const missing = await eve(testAutomation, { ...on('tools/sum', 'w0000000000000000'), body: {} }).catch(
      (error: unknown) => error,
    )
    expect(foreign).toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
    expect(JSON.stringify(foreign)).toBe(JSON.stringify(missing))
  })

  test.each(['nothing', 'off'])('%s is not there', async (slug) => {
    const attempt = runtime.as({})(testAutomation, { ...on(slug), body: {} })
    await expect(attempt).rejects.toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
  })

  test('answers the failure of the automation', async () => {
    const attempt = runtime.as({})(testAutomation, { ...on('fails'), body: {} })
    await expect(attempt).rejects.toMatchObject({
      name: 'InvalidInstructionError',
      message: expect.stringContaining('"missing"'),
    })
  })
})
