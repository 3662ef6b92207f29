import type { Failure } from '@platform/kernel'
import type { ProblemDetail } from '@platform/source-texts'
import { describe, expect, it } from 'vitest'
import { readDefinition } from './read-definition.ts'

const read = (text: string, mediaType: 'yaml' | 'json' = 'yaml') =>
  readDefinition({ text, mediaType }, true).input

function problemsOf(text: string, mediaType: 'yaml' | 'json' = 'yaml'): ProblemDetail[] {
  try {
    read(text, mediaType)
    return []
  } catch (error) {
    expect(error).toMatchObject({ name: 'InvalidAutomation' })
    return (error as Failure).details as ProblemDetail[]
  }
}

const first = (text: string) => {
  const [problem] = problemsOf(text)
  return problem === undefined ? 'accepted' : `${problem.line}:${problem.column} ${problem.path}`
}

/** A definition of one step. */
const step = (yaml: string) => `name: x\ndo:\n- ${yaml.replace(/\n/g, '\n  ')}\n`

describe('a definition', () => {
  it.each([
    ['no steps but an output', 'output: hi'],
    ['an empty list of steps', 'do: []'],
    ['an empty do beside an output', 'do:\noutput: hi'],
    [
      'branches and fields left empty',
      'slug:\ndo:\n- conditions:\n    "{{a}}":\n- fetch:\n    url: a\n    headers:\n',
    ],
    ['empty arguments', 'do: []\narguments:\n'],
    ['an argument that takes anything', 'do: []\narguments:\n  a:\n'],
    ['triggers left empty', 'do: []\nwhen:\n  endpoint: true\n  events:\n  schedules: []\n'],
    ['a slug with folders', 'slug: v1/users/list\ndo: []'],
    [
      'words YAML 1.1 took for booleans',
      'do:\n- set: { name: on, value: yes }\n- repeat: { on: "{{a}}", do: [] }',
    ],
    ['templates for numbers and booleans', step('wait: { timeout: "{{config.seconds}}" }')],
    [
      'a template for a whole object',
      step('emit: { event: a, payload: "{{b}}", target: "{{c}}", options: "{% {{d}} %}" }'),
    ],
    ['fields that slipped out of their instruction', step('set:\nname: a\nvalue: 1')],
    ['a call without arguments', step('my automation:')],
    ['a call of an app in an app', step('A.B.slug: { any: [1], output: "{{x}}" }')],
    ['an empty break and comment', 'do:\n- break:\n- break: {}\n- comment:\n- comment: "{{ not checked"'],
    ['upper-case methods', step('fetch: { url: a, method: PATCH }')],
    ['a condition in braces', step('conditions: { "{% true %}": [], default: [] }')],
    ['an until that is an expression', step('repeat: { until: "{{i}} > 3", do: [] }')],
    [
      'schedules with a time zone',
      'do: []\nwhen: { schedules: ["*/15 * * * *", { cron: "0 9 * * mon-fri", timezone: Europe/Paris }] }',
    ],
    [
      'schedules that say what becomes of missed times',
      'do: []\nwhen: { schedules: [{ cron: "0 9 * * *", missed: all }, { cron: "0 9 * * *", missed: skip }] }',
    ],
    [
      'schedules at the most often there is',
      'do: []\nwhen: { schedules: ' +
        '["*/15 * * * *", "5/20 * * * *", "0,50 8,12 * * *", "0,50 0,23 1 * *", "7 * * * *"] }',
    ],
    [
      'references inside a schema',
      'do: []\narguments: { a: { $ref: "#/$defs/b", $defs: { b: { $ref: "#" } } } }',
    ],
    ['a URL with parameters', 'do: []\nwhen: { endpoint: "/a/:x/b/*y/" }'],
    ['a URL that is called once for a key', 'do: []\nwhen: { endpoint: { path: "a/:x", idempotent: true } }'],
    ['the URL of the slug that is called once for a key', 'do: []\nwhen: { endpoint: { idempotent: true } }'],
    ['a URL with colons inside its parts', 'do: []\nwhen: { endpoint: "a:x/b:x" }'],
    ['anchors and aliases', 'do:\n- set: &a { name: a, value: 1 }\n- set: *a'],
    ['localized argument types', 'do: []\narguments: { a: { type: "localized:string", "ui:widget": x } }'],
    ['schemas', 'do: []\nschemas: [{ conditions: { body.type: a }, payload: { type: object }, output: {} }]'],
    ['authorizations', 'do: []\nauthorizations: { action: admin }'],
  ])('may have %s', (_, text) => {
    expect(problemsOf(text)).toEqual([])
  })

  it.each([
    ['nothing', '', '1:1 '],
    ['a list', '- a', '1:1 '],
    ['only a name', 'name: x', '1:1 do'],
    ['an unknown field', 'name: x\ndo: []\ncolour: red', '3:1 colour'],
    ['an unknown empty field', 'do: []\ncolour:', '2:1 colour'],
    ['an unknown trigger', 'do: []\nwhen:\n  hook: true', '3:3 when.hook'],
    ['a text for a boolean', 'do: []\nprivate: yes', '2:10 private'],
    ['a number for a name', 'name: 1\ndo: []', '1:7 name'],
    ['a colon in the slug', 'slug: "a:b"\ndo: []', '1:7 slug'],
    ['a slug that ends in a slash', 'slug: a/\ndo: []', '1:7 slug'],
    ['a slug that is no key', 'slug: __proto__\ndo: []', '1:7 slug'],
    ['text for steps', 'do: text', '1:5 do'],
    ['a map for steps', 'do: { a: 1 }', '1:5 do'],
    ['a text for a step', 'do: [a]', '1:6 do[0]'],
    ['an empty step', 'do: [{}]', '1:6 do[0]'],
    ['a null step', 'do:\n-\n', '2:2 do[0]'],
    ['two instructions in a step', step('set: { name: a, value: 1 }\nemit: { event: b }'), '4:3 do[0]'],
    ['an instruction with nothing behind it', step('set:'), '3:7 do[0].set'],
    ['a call with a number', step('mine: 3'), '3:9 do[0].mine'],
    ['a call with a list', step('mine: [3]'), '3:9 do[0].mine'],
    ['an output that is no name', step('mine: { output: 3 }'), '3:19 do[0].mine.output'],
    ['a set without a value', step('set: { name: a }'), '3:3 do[0].set.value'],
    ['an unknown kind of set', step('set: { name: a, value: 1, type: add }'), '3:35 do[0].set.type'],
    ['a bad variable name', step('set: { name: "a[", value: 1 }'), '3:19 do[0].set.name'],
    ['an event type that can’t be', step('emit: { event: "a/b" }'), '3:18 do[0].emit.event'],
    ['a payload that is no object', step('emit: { event: a, payload: [1] }'), '3:30 do[0].emit.payload'],
    ['an unknown target', step('emit: { event: a, target: { user: 1 } }'), '3:31 do[0].emit.target.user'],
    [
      'an unknown wait',
      step('wait: { oneOf: [{ event: a, filter: {} }] }'),
      '3:31 do[0].wait.oneOf[0].filter',
    ],
    ['a wait for a text', step('wait: { oneOf: a }'), '3:18 do[0].wait.oneOf'],
    ['a text for seconds', step('wait: { timeout: soon }'), '3:20 do[0].wait.timeout'],
    ['a branch that is no list', step('conditions: { a: { set: 1 } }'), '3:20 do[0].conditions.a'],
    ['a repeat of nothing', step('repeat: { do: [] }'), '3:11 do[0].repeat'],
    ['a repeat without steps', step('repeat: { on: "{{a}}" }'), '3:3 do[0].repeat.do'],
    [
      'an unknown batch',
      step('repeat: { on: a, do: [], batch: { count: 1 } }'),
      '3:37 do[0].repeat.batch.count',
    ],
    ['all with a map', step('all: { do: [] }'), '3:8 do[0].all'],
    ['an unknown scope', step('break: { scope: loop }'), '3:19 do[0].break.scope'],
    ['a try without steps', step('try: { catch: [] }'), '3:3 do[0].try.do'],
    ['an unknown verb', step('fetch: { url: a, method: yoink }'), '3:28 do[0].fetch.method'],
    ['an unknown output mode', step('fetch: { url: a, outputMode: text }'), '3:32 do[0].fetch.outputMode'],
    [
      'an unknown way to sign in',
      step('fetch: { url: a, auth: { magic: {} } }'),
      '3:28 do[0].fetch.auth.magic',
    ],
    ['an unknown stream', step('fetch: { url: a, stream: { to: b } }'), '3:30 do[0].fetch.stream.to'],
    [
      'a form without a name',
      step('fetch: { url: a, multipart: [{ value: b }] }'),
      '3:32 do[0].fetch.multipart[0].fieldname',
    ],
    [
      'a limit without a window',
      step('rateLimit: { name: a, limit: 1, consumer: b }'),
      '3:3 do[0].rateLimit.window',
    ],
    ['a module without a function', step('run: { module: a }'), '3:3 do[0].run.function'],
    [
      'an unknown reaction',
      step('run: { module: a, function: b, onError: throw }'),
      '3:43 do[0].run.onError',
    ],
    ['a workflow without a name', step('runWorkflow: { parameters: {} }'), '3:3 do[0].runWorkflow.workflow'],
    ['a topic without a name', step('joinUserTopic: { userIds: [] }'), '3:3 do[0].joinUserTopic.topic'],
    ['a comment that is a list', step('comment: [a]'), '3:12 do[0].comment'],
    [
      'a mistake deep inside',
      step('try: { do: [{ all: [{ set: {} }] }] }'),
      '3:25 do[0].try.do[0].all[0].set.name',
    ],
    ['an open brace in a condition', step('conditions: { "{{a": [] }'), '3:21 do[0].conditions["{{a"]'],
    ['an open brace in until', step('repeat: { until: "{{a", do: [] }'), '3:24 do[0].repeat.until'],
    ['an open brace in a key', step('set: { name: a, value: { "{{b": 1 } }'), '3:29 do[0].set.value["{{b"]'],
    ['an open brace in a list', step('mine: { a: [{ b: "{{" }] }'), '3:21 do[0].mine.a[0].b'],
    ['an unknown function in the output', 'output:\n  a:\n  - "{% trim({{b}}) %}"', '3:9 output.a[0]'],
    ['cron with six fields', 'do: []\nwhen: { schedules: ["0 0 * * * *"] }', '2:21 when.schedules[0]'],
    ['cron out of range', 'do: []\nwhen: { schedules: ["60 * * * *"] }', '2:21 when.schedules[0]'],
    [
      'an unknown time zone',
      'do: []\nwhen: { schedules: [{ cron: "0 * * * *", timezone: Mars }] }',
      '2:52 when.schedules[0].timezone',
    ],
    [
      'cron with what only some programs know',
      'do: []\nwhen: { schedules: ["@daily"] }',
      '2:21 when.schedules[0]',
    ],
    ['cron that never fires', 'do: []\nwhen: { schedules: ["0 0 30 2 *"] }', '2:21 when.schedules[0]'],
    [
      'what becomes of missed times in another word',
      'do: []\nwhen: { schedules: [{ cron: "0 * * * *", missed: twice }] }',
      '2:50 when.schedules[0].missed',
    ],
    ['cron at every minute', 'do: []\nwhen: { schedules: ["* * * * *"] }', '2:21 when.schedules[0]'],
    [
      'cron more often than every quarter',
      'do: []\nwhen: { schedules: [{ cron: "*/14 9 * * *" }] }',
      '2:29 when.schedules[0].cron',
    ],
    [
      'cron that is too close across the hour',
      'do: []\nwhen: { schedules: ["0,50 * * * *"] }',
      '2:21 when.schedules[0]',
    ],
    [
      'cron that is too close across midnight',
      'do: []\nwhen: { schedules: ["0,50 0,23 * * mon-fri"] }',
      '2:21 when.schedules[0]',
    ],
    ['a URL with an empty part', 'do: []\nwhen: { endpoint: /a//b }', '2:22 when.endpoint'],
    ['a URL of slashes', 'do: []\nwhen: { endpoint: "//" }', '2:19 when.endpoint'],
    ['a URL with a parameter twice', 'do: []\nwhen: { endpoint: a/:x/:x }', '2:24 when.endpoint'],
    [
      'a promise of a URL that there is not',
      'do: []\nwhen: { endpoint: { once: true } }',
      '2:21 when.endpoint.once',
    ],
    [
      'a named URL with two stars',
      'do: []\nwhen: { endpoint: { path: "*x/*y" } }',
      '2:31 when.endpoint.path',
    ],
    ['a URL with two stars', 'do: []\nwhen: { endpoint: "a/*x/b/*y" }', '2:27 when.endpoint'],
    ['a URL with a parameter of both kinds', 'do: []\nwhen: { endpoint: "a/:x/*x" }', '2:25 when.endpoint'],
    [
      'a schema of another document',
      'do: []\narguments: { a: { $ref: "https://x.test/a.json" } }',
      '2:25 arguments.a.$ref',
    ],
    [
      'a schema of another document deep inside',
      'do: []\narguments: { a: { dependentSchemas: { b: { $ref: b.json } } } }',
      '2:50 arguments.a.dependentSchemas.b.$ref',
    ],
    [
      'a branch of another document',
      'do: []\nschemas: [{ payload: { type: object, properties: { a: { $ref: b.json } } } }]',
      '2:63 schemas[0].payload.properties.a.$ref',
    ],
    [
      'a branch of arguments of another document',
      'do: []\nschemas: [{ payload: { a: { $ref: b.json } } }]',
      '2:35 schemas[0].payload.a.$ref',
    ],
    ['arguments that are a list', 'do: []\narguments: [a]', '2:12 arguments'],
    ['a schema that is a text', 'do: []\narguments: { a: string }', '2:17 arguments.a'],
    ['an unknown type', 'do: []\narguments: { a: { type: text } }', '2:25 arguments.a.type'],
    [
      'a nested required: true',
      'do: []\narguments: { a: { properties: { b: { required: true } } } }',
      '2:48 arguments.a.properties.b.required',
    ],
    ['an enum that is no list', 'do: []\narguments: { a: { enum: x } }', '2:25 arguments.a.enum'],
    ['a broken pattern', 'do: []\narguments: { a: { pattern: "(" } }', '2:28 arguments.a.pattern'],
  ])('must not have %s', (_, text, place) => {
    expect(first(text)).toBe(place)
  })

  it('says where an argument is required, which a flag of its own does not', () => {
    const text = 'do: []\narguments: { a: { type: string, required: true } }'
    expect(first(text)).toBe('2:43 arguments.a.required')
    expect(() => read(text)).toThrow(
      'must be a list of names: which arguments a call needs is said by `schemas`, as payload: ' +
        '{ type: object, required: [a], properties: … }',
    )
    expect(
      read('do: []\nschemas: [{ payload: { type: object, required: [a], properties: {} } }]').schemas,
    ).toEqual([{ payload: { type: 'object', required: ['a'], properties: {} } }])
  })

  it('keeps the order of conditions and the type of every value', () => {
    const text =
      'do:\n- conditions: { "{{b}}": [], "{{a}}": [] }\noutput: [1, "1", true, "true", null, 1.5, 2020-01-01]\n'
    const definition = read(text)
    expect(JSON.stringify(definition.do)).toBe('[{"conditions":{"{{b}}":[],"{{a}}":[]}}]')
    expect(definition.output).toEqual([1, '1', true, 'true', null, 1.5, '2020-01-01'])
  })

  it('points into long texts', () => {
    const text =
      'name: x\ndo:\n- set:\n    name: a\n    value: |\n      first line\n      then {{b and more\n'
    expect(first(text)).toBe('7:12 do[0].set.value')
  })

  it('names places in JSON', () => {
    const text = '{\n  "do": [\n    { "set": { "name": "a" } }\n  ]\n}'
    expect(problemsOf(text, 'json')).toMatchObject([{ line: 3, column: 7, path: 'do[0].set.value' }])
    expect(problemsOf('{"name": "a\\/b", "do": 1}', 'json')).toMatchObject([
      { line: 1, column: 24, path: 'do' },
    ])
  })

  it('leaves aside what only the platform sets', () => {
    const kept = { name: 'x', do: [] }
    const sent = { ...kept, createdAt: 'x', updatedBy: 'y', checksum: 'z', warnings: [], events: {} }
    expect(read(JSON.stringify(sent), 'json')).toEqual(kept)
  })
})
