import { describe, expect, test } from 'vitest'
import { compiled, runMain, type TestAutomation } from '../../test/testing.ts'

const main = (automation: TestAutomation) =>
  compiled({ main: { output: 'ok', validateArguments: true, ...automation } })
const attempt = async (automation: TestAutomation, payload: Record<string, unknown>) => {
  const { output, failed } = await runMain(main(automation), payload)
  return failed === undefined ? output : failed.failure
}

describe('the arguments of an automation', () => {
  test.each([
    ['a text', { a: { type: 'string' } }, { a: 'x' }, { a: 1 }],
    ['a whole number', { a: { type: 'integer' } }, { a: 1 }, { a: 1.5 }],
    ['what is required', { a: { type: 'string', required: true } }, { a: '' }, {}],
    ['a localized text', { a: { type: 'localized:string' } }, { a: { fr: 'x' } }, { a: { fr: 1 } }],
    ['a localized text in one language', { a: { type: 'localized:string' } }, { a: 'x' }, { a: [] }],
    ['an email', { a: { type: 'string', format: 'email' } }, { a: 'a@b.fr' }, { a: 'nope' }],
    ['a date', { a: { type: 'string', format: 'date' } }, { a: '2026-01-01' }, { a: 'today' }],
    ['a uri', { a: { type: 'string', format: 'uri' } }, { a: 'https://x.fr/a' }, { a: ':' }],
    ['an objectId', { a: { type: 'string', format: 'objectId' } }, { a: '0'.repeat(24) }, { a: 'x' }],
    ['a password, which is any text', { a: { type: 'string', format: 'password' } }, { a: 'x' }, { a: 1 }],
    ['an enum', { a: { enum: ['x', 'y'] } }, { a: 'x' }, { a: 'z' }],
    ['a pattern', { a: { type: 'string', pattern: '^x' } }, { a: 'xy' }, { a: 'y' }],
    ['items', { a: { type: 'array', items: { type: 'number' } } }, { a: [1] }, { a: ['1'] }],
    [
      'nested requirements',
      { a: { type: 'object', properties: { b: { required: true } } } },
      { a: { b: 1 } },
      { a: {} },
    ],
    [
      'no other properties',
      { a: { type: 'object', properties: {}, additionalProperties: false } },
      { a: {} },
      { a: { x: 1 } },
    ],
  ])('are checked: %s', async (_, args, good, bad) => {
    expect(await attempt({ arguments: args }, good)).toBe('ok')
    expect(await attempt({ arguments: args }, bad)).toMatchObject({
      name: 'InvalidArgumentsError',
      status: 400,
      details: expect.any(Array),
    })
  })

  test('can not keep the validator busy', async () => {
    const before = process.threadCpuUsage()
    const evil = { a: { type: 'string', pattern: '^(a+)+$' }, b: { type: 'array', uniqueItems: true } }
    const attempts = [
      await attempt({ arguments: evil }, { a: `${'a'.repeat(50_000)}!` }),
      await attempt({ arguments: evil }, { b: Array.from({ length: 100_000 }, (_, index) => index) }),
    ]
    for (const failure of attempts) expect(failure).toMatchObject({ status: 400 })
    expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1000)
  })

  test.each([
    ['a reference to nothing', { a: { $ref: '#/nowhere' } }],
    ['a pattern that is none', { a: { type: 'string', pattern: '(' } }],
  ])('fail for a schema that can not be used: %s', async (_, args) => {
    expect(await attempt({ arguments: args }, { a: 'x' })).toMatchObject({
      name: 'InvalidAutomation',
      status: 400,
    })
  })

  test('name the pattern they do not match', async () => {
    const failure = await attempt({ arguments: { a: { type: 'string', pattern: '^x' } } }, { a: 'y' })
    expect(failure).toMatchObject({
      details: [{ path: 'a', keyword: 'pattern', message: expect.stringContaining('^x') }],
    })
  })

  test('are named with their path', async () => {
    const failure = await attempt(
      { arguments: { a: { type: 'object', properties: { b: { type: 'string' } } } } },
      { a: { b: 1 } },
    )
    expect(failure).toMatchObject({ details: [{ path: 'a.b', keyword: 'type' }] })
  })

  test('are not checked unless the automation says so', async () => {
    expect(await attempt({ arguments: { a: { type: 'string' } }, validateArguments: false }, { a: 1 })).toBe(
      'ok',
    )
    expect(await attempt({ arguments: null }, { a: 1 })).toBe('ok')
  })

  test('end the calling automation too', async () => {
    const workspace = compiled({
      main: { do: [{ other: { a: 1 } }], output: 'never' },
      other: { arguments: { a: { type: 'string' } }, validateArguments: true },
    })
    const { failed } = await runMain(workspace)
    expect(failed).toMatchObject({
      failure: { name: 'InvalidArgumentsError' },
      automationSlug: 'other',
      instruction: 'arguments',
    })
  })
})

describe('the schemas of an automation', () => {
  const schemas = [
    {
      conditions: { method: 'post', 'body.kind': '1' },
      payload: { body: { type: 'object', properties: { n: { type: 'number' } } } },
    },
    { conditions: { method: 'GET' }, payload: {} },
  ]

  test('the first whose conditions hold decides', async () => {
    expect(await attempt({ schemas }, { method: 'POST', body: { kind: 1, n: 2 } })).toBe('ok')
    expect(await attempt({ schemas }, { method: 'POST', body: { kind: 1, n: 'x' } })).toMatchObject({
      name: 'InvalidArgumentsError',
    })
    expect(await attempt({ schemas }, { method: 'get', body: 7 })).toBe('ok')
  })

  test('refuse what none of them is for', async () => {
    expect(await attempt({ schemas }, { method: 'PUT' })).toMatchObject({ name: 'InvalidArgumentsError' })
  })
})

describe('what events show of arguments', () => {
  const executed = async (automations: Parameters<typeof compiled>[0], payload: Record<string, unknown>) => {
    const { events } = await runMain(compiled(automations), payload)
    return events
  }

  test('secrets are masked in every event of the run', async () => {
    const events = await executed(
      {
        main: {
          arguments: { token: { type: 'string', secret: true } },
          do: [
            { emit: { event: 'x', payload: { said: 'it is {{token}}!' } } },
            { other: { t: '{{token}}' } },
          ],
          output: '{{token}}',
        },
        other: { output: '{{t}}' },
      },
      { token: 's3cret-value' },
    )
    expect(events).toHaveLength(3)
    expect(JSON.stringify(events)).not.toContain('s3cret-value')
    expect(events[0]?.payload).toEqual({ said: 'it is REDACTED!' })
  })

  test('marked paths are left out, of this automation only', async () => {
    const events = await executed(
      {
        main: {
          arguments: { a: { type: 'object', properties: { b: { redact: true } } } },
          do: [{ other: { b: '{{a.b}}' } }],
        },
        other: {},
      },
      { a: { b: 'long', c: 1 } },
    )
    expect(events.map(({ payload }) => Reflect.get(Object(payload), 'payload'))).toEqual([
      { b: 'long' },
      { a: { c: 1 } },
    ])
  })

  test('authorization headers and raw bodies are left out', async () => {
    const events = await executed(
      { main: {} },
      { headers: { authorization: 'Basic x', a: 'b' }, rawBody: 'eA==', body: 1 },
    )
    expect(events[0]?.payload).toMatchObject({ payload: { headers: { a: 'b' }, body: 1 } })
    expect(JSON.stringify(events)).not.toContain('Basic')
  })
})
