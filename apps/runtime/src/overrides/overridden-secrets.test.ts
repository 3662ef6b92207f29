import { deleteSecret, getSecrets, patchSecrets, putSecrets } from '@platform/contracts'
import { sql } from '@platform/database'
import { createLogger } from '@platform/logging'
import { permissionStore } from '@platform/permissions'
import { userPrincipal } from '@platform/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { json, startOutside } from '../../test/outside.ts'
import { startRuntime, type TestAutomations, type TestRuntime } from '../../test/testing.ts'

const CANARY = 'sk-canary/7e'
const lines: string[] = []

let runtime: TestRuntime
let outside: Awaited<ReturnType<typeof startOutside>>
beforeAll(async () => {
  outside = await startOutside(({ headers }, response) =>
    json(response, { seen: headers.authorization ?? '' }),
  )
  runtime = await startRuntime({
    log: createLogger({ level: 'trace', destination: { write: (line) => void lines.push(line) } }),
    env: {
      FETCH_ALLOWED_HOSTS: '127.0.0.0/8',
      LOG_LEVEL: 'trace',
      'WORKSPACE_SECRET_given-shop_API_KEY': CANARY,
      WORKSPACE_SECRET_given__shop_prismeai_ratelimit_emits: '900',
      WORKSPACE_SECRET_given__shop_prismeai_ratelimit_emits_burst: '900',
      'WORKSPACE_CONFIG_given-shop_limits': '{"a":2}',
      'WORKSPACE_CONFIG_given-shop_MODE': 'live',
    },
  })
})
afterAll(async () => {
  await runtime[Symbol.asyncDispose]()
  await outside[Symbol.asyncDispose]()
})

const ada = () => runtime.as({ userId: 'ada' })
const root = () => runtime.as({ userId: 'root', superAdmin: true })

/** A workspace that has the slug of the variables, until the test is over. */
async function shop(automations: TestAutomations, config?: Record<string, unknown>) {
  const { id } = await runtime.workspace(automations, config)
  const named = async (slug: string) => {
    await permissionStore(runtime.database).updateWorkspace({ id, slug, name: 'Test' })
    await runtime.database.many(sql`
      update workspaces.stand_in set workspace_slug = ${slug}, revision = revision + 1 where workspace_id = ${id}`)
  }
  await named('given-shop')
  return {
    id,
    params: { workspaceId: id },
    call: async (path: string) => {
      const headers = runtime.headersOf(userPrincipal({ userId: 'ada' }))
      return (await (await runtime.call(id, path, { headers })).json()) as unknown
    },
    named,
    [Symbol.asyncDispose]: () => named(`was-${id}`),
  }
}

const ask = (authorization: string) => ({
  fetch: { url: outside.url, headers: { authorization }, output: 'answer' },
})
const secret = (name: string, more = {}) => ({
  run: {
    module: 'secrets',
    function: name,
    parameters: { name: 'API_KEY', scope: 'workspace', ...more },
    output: 'key',
  },
})

const sent = () => Buffer.from(outside.got.at(-1)?.headers.authorization ?? '', 'latin1').toString('utf8')

describe('a secret from the environment', () => {
  test('reaches what automations fetch, and nothing that is kept or logged', async () => {
    await using workspace = await shop({
      named: { when: { endpoint: true }, do: [ask('Bearer {{secret.API_KEY}}')], output: '{{answer}}' },
      got: {
        when: { endpoint: true },
        do: [secret('get'), ask('{{key}}')],
        output: ['{{answer}}', '{{key}}'],
      },
    })
    const answers = [await workspace.call('named')]
    expect(sent()).toBe('Bearer sk-canary/7e')
    answers.push(await workspace.call('got'))
    expect(sent()).toBe('sk-canary/7e')
    expect(JSON.stringify(answers)).toContain('$secret:')
    const events = await runtime.events(workspace.id)
    expect(events.length).toBeGreaterThan(0)
    for (const text of [JSON.stringify(answers), JSON.stringify(events), lines.join('\n')])
      expect(text).not.toContain('canary')
    expect(
      await runtime.database.many(sql`select from runtime.secrets where workspace_id = ${workspace.id}`),
    ).toEqual([])
  })

  test('counts before a stored one, as long as the workspace has the slug', async () => {
    await using workspace = await shop({
      main: { when: { endpoint: true }, do: [ask('{{secret.API_KEY}}')], output: '{{answer}}' },
    })
    await workspace.named(`other-${workspace.id}`)
    await ada()(patchSecrets, { params: workspace.params, body: { API_KEY: { value: 'stored' } } })
    await workspace.call('main')
    expect(sent()).toBe('stored')
    await workspace.named('given-shop')
    await workspace.call('main')
    expect(sent()).toBe(CANARY)
  })

  test('is nothing that an automation changes, in a sentence', async () => {
    const refused = (step: object) => ({
      when: { endpoint: true as const },
      do: [{ try: { do: [step], catch: [{ set: { name: 'out', value: '{{$error.message}}' } }] } }],
      output: '{{out}}',
    })
    await using workspace = await shop({
      put: refused(secret('set', { value: 'mine' })),
      drop: refused(secret('delete')),
      mine: {
        when: { endpoint: true },
        do: [secret('set', { value: 'mine', scope: 'user' }), ask('{{key}}')],
      },
    })
    const message =
      'The secret "API_KEY" is set by an operator, as WORKSPACE_SECRET_given-shop_API_KEY in the environment of the ' +
      'runtime: only there it is changed.'
    expect(await workspace.call('put')).toBe(message)
    expect(await workspace.call('drop')).toBe(message)
    await workspace.call('mine')
    expect(sent()).toBe('mine')
  })

  test('is listed by its name, and refused by every change that names it', async () => {
    await using workspace = await shop({})
    const { params } = workspace
    const environment = { API_KEY: { fromEnvironment: true } }
    expect(await ada()(getSecrets, { params })).toEqual(environment)
    const system = { fromEnvironment: true }
    expect(await root()(getSecrets, { params })).toEqual({
      ...environment,
      prismeai_ratelimit_emits: system,
      prismeai_ratelimit_emits_burst: system,
    })
    const refusal = { status: 403, message: expect.stringContaining('WORKSPACE_SECRET_given-shop_API_KEY') }
    for (const change of [{ value: 'x' }, { description: 'x' }])
      for (const contract of [putSecrets, patchSecrets])
        await expect(ada()(contract, { params, body: { API_KEY: change } })).rejects.toMatchObject(refusal)
    const one = { params: { ...params, secretName: 'API_KEY' } }
    await expect(ada()(deleteSecret, one)).rejects.toMatchObject(refusal)

    // What was read can be written back, and what is left out stays.
    const both = await ada()(putSecrets, { params, body: { API_KEY: {}, own: { value: 'x' } } })
    expect(both).toMatchObject({ ...environment, own: { createdBy: 'ada' } })
    expect(await ada()(putSecrets, { params, body: {} })).toEqual(environment)
    const { id } = await runtime.workspace({})
    expect(await ada()(getSecrets, { params: { workspaceId: id } })).toEqual({})
  })

  test('leaves what is stored below it as it was', async () => {
    await using workspace = await shop({})
    await runtime.database.many(sql`
      insert into runtime.secrets (workspace_id, scope, name, sealed)
      values (${workspace.id}, 'workspace', 'API_KEY', 'x')`)
    expect(await ada()(putSecrets, { params: workspace.params, body: {} })).toEqual({
      API_KEY: { fromEnvironment: true },
    })
    expect(
      await runtime.database.many(
        sql`select sealed from runtime.secrets where workspace_id = ${workspace.id}`,
      ),
    ).toEqual([{ sealed: 'x' }])
  })
})

test('limits from the environment hold for the workspace that has the slug', async () => {
  await using one = await startRuntime({
    databaseUrl: runtime.env.DATABASE_URL ?? '',
    env: {
      RATE_LIMIT_DISABLED: 'false',
      WORKSPACE_SECRET_slow__shop_prismeai_ratelimit_emits: '10',
      WORKSPACE_SECRET_slow__shop_prismeai_ratelimit_emits_burst: '1',
    },
  })
  const steps = [{ repeat: { until: 4, do: [{ emit: { event: 'x' } }] } }]
  await using workspace = await shop({ main: { when: { endpoint: true }, do: steps } }, {})
  const throttled = async () => {
    await one.call(workspace.id, 'main')
    const events = await one.events(workspace.id, 'runtime.automations.executed')
    return Number(Object(events.at(-1)?.payload).throttled ?? 0)
  }
  expect(await throttled()).toBe(0)
  await workspace.named('slow-shop')
  await vi.waitFor(async () => expect(await throttled()).toBeGreaterThan(200), {
    timeout: 15_000,
    interval: 500,
  })
})

test('a config from the environment counts before the stored one', async () => {
  await using workspace = await shop(
    {
      main: {
        when: { endpoint: true },
        output: ['{{config.MODE}}', '{{config.limits.a}}', '{{config.kept}}'],
      },
    },
    { MODE: 'test', limits: { a: 1, b: 1 }, kept: 'k' },
  )
  expect(await workspace.call('main')).toEqual(['live', 2, 'k'])
  await workspace.named('others-shop')
  expect(await workspace.call('main')).toEqual(['test', 1, 'k'])
})
