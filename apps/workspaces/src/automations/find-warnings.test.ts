import { readDefinition } from '@platform/automation-checks'
import { describe, expect, it } from 'vitest'
import { findWarnings } from './find-warnings.ts'

function warningsOf(text: string, mediaType: 'yaml' | 'json' = 'yaml') {
  const { input } = readDefinition({ text, mediaType }, true)
  return findWarnings({ ...input, slug: 'this', name: 'This' }, [])
}

describe('what is saved with a warning', () => {
  it('no field of fetch, whatever it says', () => {
    const fields = {
      stream: { event: 'chunk', target: { currentSocket: true }, payload: {} },
      prismeaiApiKey: { name: 'shop' },
      auth: { awsv4: {}, prismeai: { forwardWorkspaceAuth: true } },
    }
    const step = { fetch: { url: 'https://x.test', ...fields } }
    expect(warningsOf(JSON.stringify({ do: [step] }), 'json')).toEqual([])
  })

  it('calls of functions that are not declared, but nothing that templates may make right', () => {
    const call = (step: Record<string, unknown>) =>
      findWarnings({ slug: 'this', name: 'This', do: [step] }, [], new Set(['known']))
    const message = expect.stringMatching(/^This workspace declares no function "missing": .+\.$/)
    expect(call({ 'Custom Code.run': { function: 'missing' } })).toEqual([
      { path: 'do[0]["Custom Code.run"].function', message },
    ])
    expect(call({ 'Custom Code.missing': { a: 1 } })).toEqual([
      { path: 'do[0]["Custom Code.missing"]', message },
    ])
    for (const name of ['known', '{{name}}'])
      expect(call({ 'Custom Code.run': { function: name } })).toEqual([])
    expect(call({ 'Custom Code.known': null })).toEqual([])
  })

  it('one that slipped out of its indentation', () => {
    expect(warningsOf('do:\n- createUserTopic:\n  topic: a\n').map(({ path }) => path)).toEqual(['do[0]'])
  })

  it('calls of modules that will fail as they are written, but nothing that templates may make right', () => {
    const run = (given: Record<string, unknown>) =>
      warningsOf(JSON.stringify({ do: [{ run: given }] }), 'json')
    expect(run({ module: 'accessManager', function: 'a' })).toEqual([
      {
        path: 'do[0].run',
        message: expect.stringMatching(/^There is no module "accessManager": use text, .+ fails there\.$/),
      },
    ])
    expect(run({ module: 'text', function: 'parse' })).toMatchObject([{ path: 'do[0].run' }])
    const splits = (parameters: unknown) => run({ module: 'text', function: 'splitText', parameters })
    expect(splits({ content: '{{a}}', chunkSize: 0 })).toMatchObject([
      { path: 'do[0].run.parameters.chunkSize' },
    ])
    expect(splits({ content: '{{a}}', chunkSize: '{{b}}', separators: '{{c}}' })).toEqual([])
    expect(splits('{{all}}')).toEqual([])
    expect(run({ module: '{{m}}', function: 'a' })).toEqual([])
  })

  const reference = (place: string, by: string) => ({
    path: place,
    message: expect.stringMatching(
      new RegExp(
        `^\\{\\{secret\\.k\\}\\} is a reference here, .*${by.replace(/[()=+*]/g, '\\$&')}.* crypto\\.equals`,
      ),
    ),
  })

  it('expressions and modules that take a reference to a secret for its value', () => {
    const conditions = {
      '{{given}} == {{secret.k}}': [{ set: { name: 'a', value: '{% length({{secret.k}}) %}' } }],
      '"x{{secret.k}}" in {{list}}': [],
      default: [],
    }
    const hmac = { module: 'crypto', function: 'hmac', parameters: { key: 'a', data: 'a {{secret.k}}' } }
    const definition = {
      do: [
        { conditions },
        { repeat: { on: '{{a}}', until: '{{item}} === secret.k', do: [] } },
        { fetch: { url: 'https://x.test', headers: { a: 'Basic {% base64("u:" + {{secret.k}}) %}' } } },
        { run: hmac },
      ],
      output: '{% {{secret.k}} * 2 %}',
    }
    expect(warningsOf(JSON.stringify(definition), 'json')).toEqual([
      reference('do[0].conditions["{{given}} == {{secret.k}}"]', '=='),
      reference('do[0].conditions["\\"x{{secret.k}}\\" in {{list}}"]', 'in'),
      reference('do[0].conditions["{{given}} == {{secret.k}}"][0].set.value', 'length()'),
      reference('do[1].repeat.until', '==='),
      reference('do[2].fetch.headers.a', 'base64()'),
      reference('do[3].run.parameters.data', 'data'),
      reference('output', '*'),
    ])
  })

  it('but not what passes a reference on, or asks whether there is one', () => {
    const run = (name: string, parameters: unknown) => ({
      run: { module: 'crypto', function: name, parameters },
    })
    const definition = {
      do: [
        {
          conditions: {
            '!{{secret.k}}': [],
            '{{secret.k}} != null and {{a}} == 1': [],
            '{{secret.k}} == ""': [],
          },
        },
        {
          fetch: {
            url: 'https://x.test/{{secret.k}}',
            headers: { a: '{% "Bearer " + {{secret.k}} %}' },
            body: { a: '{% {{own}} or {{secret.k}} %}', b: '{% join(["v1", {{secret.k}}], ".") %}' },
          },
        },
        { set: { name: 'a', value: '{{secret.k}}' } },
        run('hmac', { key: '{{secret.k}}', data: '{{body}}' }),
        run('equals', { data: '{{body.token}}', expected: '{{secret.k}}' }),
        run('equals', '{{secret.k}}'),
        { comment: '{% length({{secret.k}}) %}' },
      ],
      output: '{{notSecret.k}} {% length({{my.secret}}) %}',
    }
    expect(warningsOf(JSON.stringify(definition), 'json')).toEqual([])
  })

  it('events that start nothing, but none that others emit', () => {
    const types = [
      'runtime.schedules.created',
      'runtime.automations.executed',
      'order.placed',
      'workspaces.imported',
    ]
    const warned = warningsOf(JSON.stringify({ do: [], when: { events: types } }), 'json')
    expect(warned.map(({ path }) => path)).toEqual(['when.events[0]', 'when.events[1]'])
    expect(warned[0]?.message).toMatch(/^The event "runtime.schedules.created" starts no automation: .+\.$/)
  })

  it('contexts in keys, but nothing that the run is given', () => {
    const keyed = (key: string, more = {}) =>
      warningsOf(JSON.stringify({ do: [], concurrency: { limit: 1, key }, ...more }), 'json')
    expect(keyed('{{global.x}}')).toEqual([
      {
        path: 'concurrency.key',
        message: expect.stringContaining('The context global can’t be read in a key'),
      },
    ])
    expect(keyed('a {% {{ user.id }} %}')).toMatchObject([{ path: 'concurrency.key' }])
    const debounce = { debounce: { period: 1, key: '{{run.x}}' } }
    expect(keyed('{{payload.user.id}}', debounce)).toMatchObject([{ path: 'debounce.key' }])
    expect(keyed('{{user.id}}', { arguments: { user: { type: 'object' } } })).toEqual([])
  })

  it('but not schedules', () => {
    expect(warningsOf('do: []\nwhen: { schedules: ["0 9 * * *"] }')).toEqual([])
  })

  it('conditions that look like whole numbers, each with its key', () => {
    const text = '{"do":[{"conditions":{"{{a}}":[],"42":[],"1":[],"1.5":[],"01":[],"-1":[],"default":[]}}]}'
    const expected = ['1', '42'].map((key) => ({
      path: `do[0].conditions["${key}"]`,
      message: expect.stringContaining(`write it as an expression such as {{value}} == ${key}.`),
    }))
    expect(warningsOf(text, 'json')).toEqual(expected)
    expect(warningsOf('do:\n- conditions:\n    "{{a}}": []\n    42: []\n    "1": []\n')).toEqual(expected)
  })

  it('but not what runs as it is written', () => {
    const text =
      'do:\n- set: { name: $http.status, value: 201 }\n- conditions: { "{{a}} == 1": [], default: [] }\n'
    expect(warningsOf(text)).toEqual([])
  })
})
