import { runTests } from '@platform/contracts'
import { raw, sql } from '@platform/database'
import { userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startRuntime, type TestRuntime, type TestWorkspace } from '../../test/testing.ts'

let runtime: TestRuntime
let workspace: TestWorkspace

beforeAll(async () => {
  runtime = await startRuntime()
  workspace = await runtime.workspace({
    greet: { do: [{ set: { name: 'greeting', value: 'Hello {{name}}' } }], output: '{{greeting}}' },
    busy: {
      do: [
        { set: { name: 'global.count', value: 1 } },
        { emit: { event: 'order.placed' } },
        {
          run: {
            module: 'collections',
            function: 'create',
            parameters: { collection: 'orders', data: { id: 'A1' } },
            output: 'order',
          },
        },
        {
          run: {
            module: 'secrets',
            function: 'set',
            parameters: { name: 'key', scope: 'workspace', value: 'sk-1' },
          },
        },
        { rateLimit: { name: 'a', window: 60, limit: 1, consumer: 'x' } },
        { runWorkflow: { workflow: 'greet', wait: false } },
        { wait: { oneOf: [{ event: 'paid' }], timeout: '1h' } },
      ],
      output: '{{order.id}}',
    },
    'on-order': { when: { events: ['order.placed'] } },
    elsewhere: {
      do: [{ runWorkflow: { workspace: 'slug:audit2', workflow: 'callee', output: 'n' } }],
      output: '{{n}}',
    },
  })
})
afterAll(() => runtime[Symbol.asyncDispose]())

const on = (workspaceId = workspace.id) => ({ params: { workspaceId } })
const passing = { automation: 'greet', arguments: { name: 'Ada' }, expect: { output: 'Hello Ada' } }

describe('running tests of automations', () => {
  test('calls no other workspace, and answers for it what a test says', async () => {
    const test = { automation: 'elsewhere', expect: { output: 3 } }
    const answered = { ...test, automations: { 'slug:audit2/callee': { output: 3 } } }
    const report = await runtime.as({})(runTests, { ...on(), body: { tests: { answered, forgotten: test } } })
    expect(report.results).toMatchObject([
      { status: 'passed' },
      {
        differences: [
          { message: expect.stringContaining('add it to `automations` as "slug:audit2/callee"') },
        ],
      },
    ])
  })

  test('answers how each went, and which instructions were come to', async () => {
    const report = await runtime.as({})(runTests, {
      ...on(),
      body: { tests: { greets: passing, differs: { ...passing, expect: { output: 'Hello Bob' } } } },
    })
    expect(report).toMatchObject({ passed: 1, failed: 1, notRun: 0 })
    expect(report.results[1]).toMatchObject({
      name: 'differs',
      status: 'failed',
      differences: [{ path: 'output', expected: 'Hello Bob', got: 'Hello Ada' }],
    })
    expect(report.coverage).toEqual([
      {
        automationSlug: 'greet',
        covered: 1,
        total: 1,
        instructions: [{ path: 'do[0].set', hits: 2 }],
      },
    ])
  })

  test('takes YAML, automations that are not saved yet, and shows their steps', async () => {
    const text = `automation: greet
arguments: { name: Ada }
expect: { output: Good day Ada }`
    const greet = `do:
  - conditions:
      '{{name}} == "Bob"': [{ break: {} }]
  - set: { name: greeting, value: 'Good day {{name}}' }
output: '{{greeting}}'`
    const report = await runtime.as({})(runTests, {
      ...on(),
      body: {
        files: [{ name: 'greet.test.yml', text }],
        automations: [{ slug: 'greet', text: greet }],
        steps: true,
      },
    })
    expect(report).toMatchObject({ passed: 1, failed: 0 })
    expect(report.results[0]?.steps).toMatchObject([
      { path: 'do[0].conditions', status: 'done' },
      { path: 'do[1].set', changed: [{ context: 'locals', path: 'greeting', after: 'Good day Ada' }] },
    ])
    expect(report.coverage[0]).toMatchObject({
      covered: 2,
      total: 3,
      instructions: [
        { path: 'do[0].conditions', hits: 1, line: 2 },
        { path: 'do[0].conditions["{{name}} == "Bob""][0].break', hits: 0, line: 3 },
        { path: 'do[1].set', hits: 1, line: 4, column: 5 },
      ],
    })

    const response = await fetch(`${runtime.url}/v2/workspaces/${workspace.id}/tests`, {
      method: 'POST',
      headers: { ...runtime.headersOf(userPrincipal()), 'content-type': 'application/yaml' },
      body: 'automation: greet\narguments: { name: Ada }\nexpect: { output: Hello Ada }',
    })
    expect(await response.json()).toMatchObject({ passed: 1 })
  })

  test('writes nothing at all', async () => {
    const tables = await runtime.database.many<{ name: string }>(sql`
      select format('%I.%I', schemaname, tablename) as name from pg_tables
      where schemaname in ('runtime', 'outbox') order by 1`)
    expect(tables.length).toBeGreaterThan(10)
    const counts = async () => {
      const found: Record<string, unknown> = {}
      for (const { name } of tables) {
        const [row] = await runtime.database.many(raw(`select count(*) as rows from ${name}`))
        found[name] = row
      }
      return found
    }
    const before = await counts()
    const report = await runtime.as({})(runTests, {
      ...on(),
      body: { automation: 'busy', follow: true, expect: { output: 'A1', events: ['order.placed'] } },
    })
    expect(report.results).toMatchObject([{ status: 'passed', differences: [] }])
    expect(await counts()).toEqual(before)
  })

  test('gives the same each time', async () => {
    const body = { automation: 'busy', expect: { output: 'none', collections: { orders: [] } } }
    const once = async () => {
      const { results } = await runtime.as({})(runTests, {
        ...on(),
        body: { files: [{ name: 'a', content: body }], steps: true },
      })
      return results.map(({ durationMs: _, ...result }) => result)
    }
    expect(await once()).toEqual(await once())
  })

  test('refuses what it can’t read, with file, line and column', async () => {
    const attempt = runtime.as({})(runTests, {
      ...on(),
      body: { files: [{ name: 'b.test.yml', text: 'automation: greet\nexpects:\n  output: 1' }] },
    })
    await expect(attempt).rejects.toMatchObject({
      name: 'RequestValidationError',
      status: 400,
      message: 'b.test.yml:2:1: expects: is no field of a test here.',
    })
    const broken = runtime.as({})(runTests, { ...on(), body: { files: [{ name: 'c', text: 'a: [' }] } })
    await expect(broken).rejects.toMatchObject({ status: 400, message: expect.stringContaining('c:1:') })
  })

  test('checks automations that come along as on saving, and runs nothing where one could not be saved', async () => {
    const given = (automations: object[]) =>
      runtime.as({})(runTests, {
        ...on(),
        body: { files: [{ name: 'a', content: passing }], automations } as never,
      })
    const text = 'do:\n  - set: { nam: a, value: 1 }\n  - conditions: { "{{a}} ==": [] }\nsteps: []\n'
    const attempt = given([
      { slug: 'broken', text },
      { slug: 'frequent', definition: { when: { schedules: ['* * * * *'] }, do: [] } },
    ])
    await expect(attempt).rejects.toMatchObject({
      name: 'InvalidAutomation',
      status: 400,
      message:
        'The automation "broken", line 2, column 5: do[0].set.name is missing: it must be a text. ' +
        'There are 4 more problems.',
      details: [
        { automation: 'broken', path: 'do[0].set.name', line: 2, column: 5 },
        { automation: 'broken', path: 'do[0].set.nam', line: 2, column: 12 },
        { automation: 'broken', line: 3 },
        { automation: 'broken', path: 'steps', line: 4 },
        { automation: 'frequent', path: 'when.schedules[0]', message: expect.stringContaining('too often') },
      ],
    })
    await expect(given([{ slug: 'a', text: 'do: [' }])).rejects.toMatchObject({ name: 'InvalidAutomation' })
    await expect(given([{ slug: 'a', definition: {} }])).rejects.toMatchObject({ name: 'InvalidAutomation' })
    await expect(given([{ slug: 'a' }])).rejects.toMatchObject({ name: 'RequestValidationError' })
    const steps = Array(5001).fill({ comment: 'x' })
    await expect(given([{ slug: 'a', definition: { do: steps } }])).rejects.toMatchObject({
      message: expect.stringContaining('at most 5,000 are allowed'),
    })
  })

  test('needs a credential', async () => {
    const attempt = runtime.nobody(runTests, { ...on(), body: passing })
    await expect(attempt).rejects.toMatchObject({ name: 'AuthenticationError', status: 401 })
  })

  test('is for who may test automations: to others the workspace is not there', async () => {
    const attempt = runtime.as({ userId: 'eve' })(runTests, { ...on(), body: passing })
    await expect(attempt).rejects.toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
    const missing = runtime.as({})(runTests, { ...on('w0000000000000000'), body: passing })
    await expect(missing).rejects.toMatchObject({ name: 'ObjectNotFoundError', status: 404 })
  })
})
