import { describe, expect, test } from 'vitest'
import {
  compiled,
  runMain,
  type TestAutomation,
  type TestAutomations,
  testEngine,
} from '../../test/testing.ts'

interface Case {
  promise: string
  main: TestAutomation
  others?: TestAutomations
  payload?: Record<string, unknown>
  config?: Record<string, unknown>
  output?: unknown
  /** Name of the failure and the instruction it happens in. */
  fails?: [string, string]
  emits?: [string, unknown][]
}

const setting = (name: string, value: unknown, more: object = {}) => ({ set: { name, value, ...more } })
const out = (output: unknown, ...steps: Record<string, unknown>[]): TestAutomation => ({ do: steps, output })

const cases: Case[] = [
  // set
  { promise: 'set writes a variable', main: out('{{a}}', setting('a', 1)), output: 1 },
  {
    promise: 'set makes what is missing on the way',
    main: out('{{a}}', setting('a.b[1].c', 'x')),
    output: { b: [undefined, { c: 'x' }] },
  },
  {
    promise: 'set fills in names',
    main: out('{{a}}', setting('k', 'b'), setting('a[{{k}}]', 2)),
    output: { b: 2 },
  },
  {
    promise: 'set keeps the type of a whole template',
    main: out('{{b}}', setting('a', [1, { x: true }]), setting('b', '{{a}}')),
    output: [1, { x: true }],
  },
  {
    promise: 'set fills in texts',
    main: out('{{a}}', setting('a', 'Hello {{name}}!')),
    payload: { name: 'Ada' },
    output: 'Hello Ada!',
  },
  {
    promise: 'set replaces by default',
    main: out('{{a}}', setting('a', { x: 1 }), setting('a', { y: 2 })),
    output: { y: 2 },
  },
  {
    promise: 'set merges objects',
    main: out('{{a}}', setting('a', { x: 1 }), setting('a', { y: 2 }, { type: 'merge' })),
    output: { x: 1, y: 2 },
  },
  ...[5, 'text', true, null, []].map((value) => ({
    promise: `set merges ${JSON.stringify(value)} into an object, which stays as it is`,
    main: out('{{a}}', setting('a', { x: 1 }), setting('a', value, { type: 'merge' })),
    output: { x: 1 },
  })),
  ...[5, 'text', null].map((value) => ({
    promise: `set merges an object into ${JSON.stringify(value)}`,
    main: out('{{a}}', setting('a', value), setting('a', { x: 1 }, { type: 'merge' })),
    output: { x: 1 },
  })),
  {
    promise: 'set merges an object into an empty list',
    main: out('{{a}}', setting('a', []), setting('a', { x: 1 }, { type: 'merge' })),
    output: [{ x: 1 }],
  },
  {
    promise: 'set merges lists by appending',
    main: out('{{a}}', setting('a', [1]), setting('a', [2, 3], { type: 'merge' })),
    output: [1, 2, 3],
  },
  {
    promise: 'set merges into nothing',
    main: out('{{a}}', setting('a', { y: 2 }, { type: 'merge' })),
    output: { y: 2 },
  },
  {
    promise: 'set pushes',
    main: out('{{a}}', setting('a', 1, { type: 'push' }), setting('a', [2], { type: 'push' })),
    output: [1, [2]],
  },
  { promise: 'x[] appends', main: out('{{a}}', setting('a[]', 1), setting('a[]', 2)), output: [1, 2] },
  {
    promise: 'x[] with push appends once',
    main: out('{{a}}', setting('a[]', 1, { type: 'push' })),
    output: [1],
  },
  {
    promise: 'push to a text fails',
    main: out(1, setting('a', 'x'), setting('a[]', 1)),
    fails: ['InvalidVariableNameError', 'do[1].set'],
  },
  {
    promise: 'a position far behind a list fails',
    main: out(1, setting('a[20000]', 1)),
    fails: ['InvalidVariableNameError', 'do[0].set'],
  },
  {
    promise: 'a changed copy leaves the original',
    main: out(['{{a.x}}', '{{b.x}}'], setting('a', { x: 1 }), setting('b', '{{a}}'), setting('b.x', 2)),
    output: [1, 2],
  },
  {
    promise: 'a changed original leaves copies',
    main: out('{{b}}', setting('a.list[]', 1), setting('b', { of: '{{a}}' }), setting('a.list[]', 2)),
    output: { of: { list: [1] } },
  },
  {
    promise: 'clone copies',
    main: out('{{b}}', setting('a', [1]), setting('b', '{{a}}', { clone: true }), setting('a[]', 2)),
    output: [1],
  },
  {
    promise: 'prototype names are refused',
    main: out(1, setting('a.__proto__.x', 1)),
    fails: ['InvalidVariableNameError', 'do[0].set'],
  },
  {
    promise: 'set with a name that is a variable writes that variable',
    main: out('{{x}}', setting('{{n}}', 5)),
    payload: { n: 'x.y' },
    output: { y: 5 },
  },
  {
    promise: 'set without indentation is read as it is meant',
    main: out('{{a}}', { set: null, name: 'a', value: 3 }),
    output: 3,
  },
  {
    promise: 'an unknown type of set fails',
    main: out(1, setting('a', 1, { type: '{{how}}' })),
    payload: { how: 'mix' },
    fails: ['InvalidInstructionError', 'do[0].set'],
  },
  // contexts
  {
    promise: 'user.role is read-only',
    main: out(1, setting('user.role', 'owner')),
    fails: ['InvalidVariableNameError', 'do[0].set'],
  },
  {
    promise: 'session.org is read-only',
    main: out(1, setting('session.org', 'x')),
    fails: ['InvalidVariableNameError', 'do[0].set'],
  },
  {
    promise: 'run builtins are read-only',
    main: out(1, setting('run.correlationId', 'x')),
    fails: ['InvalidVariableNameError', 'do[0].set'],
  },
  {
    promise: 'run.sourceWorkspaceId is read-only though it is not there',
    main: out(1, setting('run.sourceWorkspaceId', 'x')),
    fails: ['InvalidVariableNameError', 'do[0].set'],
  },
  {
    promise: 'a context is not replaced as a whole',
    main: out(1, setting('global', {})),
    fails: ['InvalidVariableNameError', 'do[0].set'],
  },
  {
    promise: 'secret is read-only',
    main: out(1, setting('secret.x', 1)),
    fails: ['InvalidVariableNameError', 'do[0].set'],
  },
  {
    promise: '$workspace is read-only',
    main: out(1, setting('$workspace.name', 1)),
    fails: ['InvalidVariableNameError', 'do[0].set'],
  },
  {
    promise: 'custom keys of user, session, global, run and socket can be set',
    main: out(
      ['{{user.a}}', '{{session.a}}', '{{global.a}}', '{{run.a}}', '{{socket.a}}'],
      setting('user.a', 1),
      setting('session.a', 2),
      setting('global.a', 3),
      setting('run.a', 4),
      setting('socket.a', 5),
    ),
    output: [1, 2, 3, 4, 5],
  },
  {
    promise: 'merging into a context keeps the rest of it',
    main: out('{{run.b}}', setting('run', { b: 2 }, { type: 'merge' })),
    output: 2,
  },
  {
    promise: 'config is what the workspace says',
    main: out('{{config.key}}'),
    config: { key: 'v' },
    output: 'v',
  },
  {
    promise: 'config can be set for the run',
    main: out('{{config}}', setting('config.b', 2)),
    config: { a: 1 },
    output: { a: 1, b: 2 },
  },
  {
    promise: 'user and session tell of the caller',
    main: out(['{{user.id}}', '{{user.email}}', '{{session.id}}']),
    output: ['ada', 'ada@example.com', 'session-of-ada'],
  },
  {
    promise: 'run tells of the run',
    main: out(['{{run.correlationId}}', '{{run.depth}}', '{{run.automationSlug}}', '{{run.trigger.type}}']),
    output: ['correlation-of-the-test', 1, 'main', 'endpoint'],
  },
  {
    promise: 'global.endpoints has the URLs',
    main: { ...out('{{global.endpoints.main}}'), when: { endpoint: 'a/:b' } },
    output: 'http://localhost:3001/v2/workspaces/w0123456789abcde/webhooks/a/:b',
  },
  {
    promise: 'payload can not pretend to be a context',
    main: out(['{{user.id}}', '{{run.sourceWorkspaceId}}']),
    payload: { user: { id: 'eve' }, run: { sourceWorkspaceId: 'x' } },
    output: ['ada', undefined],
  },
  {
    promise: 'what a called automation sets in run is seen by its caller',
    main: out('{{run.x}}', { other: {} }),
    others: { other: out(1, setting('run.x', 7)) },
    output: 7,
  },
  {
    promise: 'local variables end with their call',
    main: out('{{x}}', { other: {} }),
    others: { other: out(1, setting('x', 7)) },
    output: undefined,
  },
  // delete
  {
    promise: 'delete removes a variable',
    main: out('{{a}}', setting('a', 1), { delete: { name: 'a' } }),
    output: undefined,
  },
  {
    promise: 'delete removes a part',
    main: out('{{a}}', setting('a', { x: 1, y: [1, 2] }), { delete: { name: 'a.y[0]' } }),
    output: { x: 1, y: [2] },
  },
  {
    promise: 'delete of nothing is nothing',
    main: out('{{a}}', { delete: { name: 'a.b.c' } }),
    output: undefined,
  },
  {
    promise: 'delete of a builtin fails',
    main: out(1, { delete: { name: 'user.id' } }),
    fails: ['InvalidVariableNameError', 'do[0].delete'],
  },
  // conditions
  {
    promise: 'conditions take the first that holds',
    main: out('{{r}}', {
      conditions: {
        '{{n}} > 5': [setting('r', 'big')],
        '{{n}} > 1': [setting('r', 'some')],
        default: [setting('r', 'none')],
      },
    }),
    payload: { n: 3 },
    output: 'some',
  },
  {
    promise: 'conditions fall back to default',
    main: out('{{r}}', { conditions: { '{{n}}': [setting('r', 1)], default: [setting('r', 2)] } }),
    output: 2,
  },
  {
    promise: 'conditions without default do nothing',
    main: out('{{r}}', { conditions: { '{{n}} == 1': [setting('r', 1)] } }),
    output: undefined,
  },
  {
    promise: 'a condition that can not be read fails when run',
    main: out(1, { conditions: { '{{n}} >': [] } }),
    fails: ['InvalidExpressionSyntax', 'do[0].conditions'],
  },
  {
    promise: 'a failure inside conditions knows its place',
    main: out(1, { conditions: { true: [setting('a', 1), setting('user.role', 1)] } }),
    fails: ['InvalidVariableNameError', 'do[0].conditions["true"][1].set'],
  },
  // repeat
  {
    promise: 'repeat goes through a list',
    main: out('{{r}}', { repeat: { on: '{{l}}', do: [setting('r[]', '{{$index}}:{{item}}')] } }),
    payload: { l: ['a', 'b'] },
    output: ['0:a', '1:b'],
  },
  {
    promise: 'repeat goes through an object',
    main: out('{{r}}', { repeat: { on: '{{o}}', do: [setting('r[]', '{{item.key}}={{item.value}}')] } }),
    payload: { o: { x: 1, y: 2 } },
    output: ['x=1', 'y=2'],
  },
  {
    promise: 'repeat until a count',
    main: out('{{r}}', { repeat: { until: 3, do: [setting('r[]', '{{$index}}')] } }),
    output: [0, 1, 2],
  },
  {
    promise: 'repeat until a count from a variable',
    main: out('{{r}}', { repeat: { until: '{{n}}', do: [setting('r[]', 1)] } }),
    payload: { n: 2 },
    output: [1, 1],
  },
  {
    promise: 'repeat until a count from a text',
    main: out('{{r}}', setting('n', '{% "3" %}'), { repeat: { until: '{{n}}', do: [setting('r[]', 1)] } }),
    output: [1, 1, 1],
  },
  {
    promise: 'repeat until a text that is no count',
    main: out('{{r}}', { repeat: { until: '{{n}}', do: [setting('r[]', 1), setting('n', 'done')] } }),
    output: [1],
  },
  {
    promise: 'repeat until an expression holds',
    main: out('{{n}}', setting('n', 0), {
      repeat: { until: '{{n}} == 4', do: [setting('n', '{% {{n}} + 1 %}')] },
    }),
    output: 4,
  },
  {
    promise: 'repeat on and until stops early',
    main: out('{{r}}', { repeat: { on: [1, 2, 3], until: 2, do: [setting('r[]', '{{item}}')] } }),
    output: [1, 2],
  },
  {
    promise: 'repeat on nothing does nothing',
    main: out('{{r}}', { repeat: { on: '{{missing}}', do: [setting('r[]', 1)] } }),
    output: undefined,
  },
  {
    promise: 'repeat on a number fails',
    main: out(1, { repeat: { on: '{{n}}', do: [] } }),
    payload: { n: 5 },
    fails: ['InvalidInstructionError', 'do[0].repeat'],
  },
  {
    promise: 'nested repeats have items of their own',
    main: out('{{r}}', {
      repeat: { on: [1, 2], do: [{ repeat: { on: ['a', 'b'], do: [] } }, setting('r[]', '{{item}}')] },
    }),
    output: [1, 2],
  },
  {
    promise: 'changing the item leaves the list',
    main: out('{{l}}', { repeat: { on: '{{l}}', do: [setting('item.x', 9)] } }),
    payload: { l: [{ x: 1 }] },
    output: [{ x: 1 }],
  },
  {
    promise: 'repeat in batches gives each item its own variables',
    main: out('{{r}}', {
      repeat: {
        on: [1, 2, 3],
        batch: { size: 2 },
        do: [{ other: { x: '{{item}}', output: 'res' } }, setting('r[]', '{{item}}')],
      },
    }),
    others: { other: out('{{x}}') },
    output: [1, 2, 3],
  },
  {
    promise: 'a failure in a batch knows its place',
    main: out(1, { repeat: { on: [1], batch: { size: 2 }, do: [setting('user.role', 1)] } }),
    fails: ['InvalidVariableNameError', 'do[0].repeat.do[0].set'],
  },
  // break
  {
    promise: 'break ends the automation and its output is worked out',
    main: out('{{a}}', setting('a', 1), { break: {} }, setting('a', 2)),
    output: 1,
  },
  {
    promise: 'break with a payload answers it',
    main: out('{{a}}', { break: { payload: { done: true } } }),
    output: { done: true },
  },
  {
    promise: 'break repeat ends the loop only',
    main: out(
      '{{r}}',
      {
        repeat: {
          on: [1, 2, 3],
          do: [
            { conditions: { '{{item}} == 2': [{ break: { scope: 'repeat' } }] } },
            setting('r[]', '{{item}}'),
          ],
        },
      },
      setting('r[]', 'after'),
    ),
    output: [1, 'after'],
  },
  {
    promise: 'break automation inside a repeat ends the automation',
    main: out(
      '{{r}}',
      { repeat: { on: [1, 2], do: [setting('r[]', '{{item}}'), { break: { scope: 'automation' } }] } },
      setting('r', 'no'),
    ),
    output: [1],
  },
  {
    promise: 'break automation of a called automation leaves its caller',
    main: out('{{r}}', { other: { output: 'r' } }),
    others: { other: out('x', { break: { payload: 'early' } }) },
    output: 'early',
  },
  {
    promise: 'break all ends the callers too',
    main: out('never', { other: {} }),
    others: { other: out('x', { break: { scope: 'all', payload: { why: 1 } } }) },
    output: { why: 1 },
  },
  {
    promise: 'break all without a payload gives the output of the callers',
    main: out('{{a}}', setting('a', 1), { other: { output: 'a' } }, setting('a', 2)),
    others: { other: out('x', { break: { scope: 'all' } }) },
    output: 1,
  },
  {
    promise: 'a scope of break that is nothing ends the automation',
    main: out('{{a}}', setting('a', 1), { break: { scope: '{{missing}}' } }, setting('a', 2)),
    output: 1,
  },
  {
    promise: 'break all is caught by try',
    main: out('{{$error}}', { try: { do: [{ other: {} }], catch: [] } }),
    others: { other: out('x', { break: { scope: 'all', payload: { why: 1 } } }) },
    output: { why: 1, break: { why: 1 } },
  },
  {
    promise: 'an unknown scope of break fails',
    main: out(1, { break: { scope: '{{s}}' } }),
    payload: { s: 'world' },
    fails: ['InvalidInstructionError', 'do[0].break'],
  },
  { promise: 'break without anything behind it works', main: out(4, { break: null }), output: 4 },
  // try
  {
    promise: 'try catches and tells',
    main: out('{{$error}}', { try: { do: [setting('user.role', 1)], catch: [] } }),
    output: {
      error: 'InvalidVariableNameError',
      name: 'InvalidVariableNameError',
      message: '"user.role" can\'t be written: choose another name.',
    },
  },
  {
    promise: 'catch runs only after a failure',
    main: out('{{r}}', { try: { do: [setting('r', 1)], catch: [setting('r', 2)] } }),
    output: 1,
  },
  {
    promise: 'finally runs either way',
    main: out('{{r}}', {
      try: {
        do: [setting('user.role', 1)],
        catch: [setting('r[]', 'catch')],
        finally: [setting('r[]', 'finally')],
      },
    }),
    output: ['catch', 'finally'],
  },
  {
    promise: 'try without catch catches as well',
    main: out('{{$error.name}}', { try: { do: [setting('user.role', 1)] } }),
    output: 'InvalidVariableNameError',
  },
  {
    promise: 'try with an empty catch and finally catches',
    main: out('{{r}}', {
      try: { do: [setting('user.role', 1)], catch: [], finally: [setting('r', 'cleaned')] },
    }),
    output: 'cleaned',
  },
  {
    promise: 'try with finally and without catch lets failures go on',
    main: out(1, { try: { do: [setting('user.role', 1)], finally: [] } }),
    fails: ['InvalidVariableNameError', 'do[0].try.do[0].set'],
  },
  {
    promise: 'a failure in catch goes on',
    main: out(1, { try: { do: [setting('user.role', 1)], catch: [setting('user.email', 1)] } }),
    fails: ['InvalidVariableNameError', 'do[0].try.catch[0].set'],
  },
  {
    promise: 'try leaves break automation alone',
    main: out(
      '{{r}}',
      setting('r', 1),
      { try: { do: [{ break: {} }], catch: [setting('r', 2)] } },
      setting('r', 3),
    ),
    output: 1,
  },
  {
    promise: 'try catches failures of called automations',
    main: out('{{$error.name}}', { try: { do: [{ other: {} }], catch: [] } }),
    others: { other: out(1, setting('user.role', 1)) },
    output: 'InvalidVariableNameError',
  },
  // all
  {
    promise: 'all runs every branch',
    main: out(['{{a}}', '{{b}}'], { all: [setting('a', 1), { other: { output: 'b' } }] }),
    others: { other: out(2) },
    output: [1, 2],
  },
  {
    promise: 'all ends the other branches before it fails',
    main: { do: [{ all: [setting('user.role', 1), { emit: { event: 'b' } }] }] },
    fails: ['InvalidVariableNameError', 'do[0].all[0].set'],
    emits: [['b', {}]],
  },
  {
    promise: 'break in a branch ends that branch',
    main: out('{{b}}', { all: [{ break: {} }, setting('b', 2)] }),
    output: 2,
  },
  // calls
  {
    promise: 'a slug calls an automation',
    main: out('{{r}}', { 'say hello': { who: '{{n}}', output: 'r' } }),
    others: { 'say hello': out('Hi {{who}}') },
    payload: { n: 'Ada' },
    output: 'Hi Ada',
  },
  {
    promise: 'a call without anything behind it is a call',
    main: out('{{run.x}}', { other: null }),
    others: { other: out(1, setting('run.x', 1)) },
    output: 1,
  },
  {
    promise: 'a call of a missing automation fails',
    main: out(1, { 'some unknown automation': {} }),
    fails: ['ObjectNotFoundError', 'do[0].some unknown automation'],
  },
  {
    promise: 'a call of a disabled automation fails',
    main: out(1, { other: {} }),
    others: { other: { ...out(1), disabled: true } },
    fails: ['ObjectNotFoundError', 'do[0].other'],
  },
  {
    promise: 'a call of an app is not available yet',
    main: out(1, { 'Mail.send': { to: 'x' } }),
    fails: ['InvalidInstructionError', 'do[0].Mail.send'],
  },
  {
    promise: 'arguments that are no object fail',
    main: out(1, { other: '{{n}}' }),
    others: { other: out(1) },
    payload: { n: 3 },
    fails: ['InvalidInstructionError', 'do[0].other'],
  },
  {
    promise: 'a called automation can not change what it was given',
    main: out('{{a}}', setting('a', { x: 1 }), { other: { a: '{{a}}' } }),
    others: { other: out(1, setting('a.x', 2)) },
    output: { x: 1 },
  },
  {
    promise: 'runWorkflow calls and waits',
    main: out('{{r}}', { runWorkflow: { workflow: 'other', parameters: { x: 3 }, output: 'r' } }),
    others: { other: out('{{x}}') },
    output: 3,
  },
  {
    promise: 'runWorkflow finds what a variable names',
    main: out('{{r}}', { runWorkflow: { workflow: '{{w}}', output: 'r' } }),
    others: { other: out(8) },
    payload: { w: 'other' },
    output: 8,
  },
  {
    promise: 'a failure of a called automation names its own place',
    main: out(1, { other: {} }),
    others: { other: out(1, setting('user.role', 1)) },
    fails: ['InvalidVariableNameError', 'do[0].set'],
  },
  // emit
  {
    promise: 'emit emits',
    main: { do: [{ emit: { event: 'order.placed', payload: { n: '{{n}}' } } }] },
    payload: { n: 1 },
    emits: [['order.placed', { n: 1 }]],
  },
  {
    promise: 'emit answers the event',
    main: out(['{{e.type}}', '{{e.payload.a}}'], { emit: { event: 'x', payload: { a: 1 }, output: 'e' } }),
    output: ['x', 1],
  },
  {
    promise: 'emit takes slipped fields as payload',
    main: { do: [{ emit: { event: 'x', payload: null, a: 1 } }] },
    emits: [['x', { a: 1 }]],
  },
  {
    promise: 'what is emitted is not changed by what follows',
    main: {
      do: [setting('a', { n: 1 }), { emit: { event: 'x', payload: { a: '{{a}}' } } }, setting('a.n', 2)],
    },
    emits: [['x', { a: { n: 1 } }]],
  },
  {
    promise: 'emit of a payload that is no object fails',
    main: out(1, { emit: { event: 'x', payload: '{{n}}' } }),
    payload: { n: [1] },
    fails: ['InvalidEventError', 'do[0].emit'],
  },
  {
    promise: 'emit of a type with other characters fails',
    main: out(1, { emit: { event: '{{t}}' } }),
    payload: { t: 'a/b' },
    fails: ['InvalidEventError', 'do[0].emit'],
  },
  {
    promise: 'emit with an unknown target fails',
    main: out(1, { emit: { event: 'x', target: '{{t}}' } }),
    payload: { t: { everybody: true } },
    fails: ['InvalidEventError', 'do[0].emit'],
  },
  {
    promise: 'emit of too large an event fails',
    main: out(1, { emit: { event: 'x', payload: { t: '{{t}}' } } }),
    payload: { t: 'x'.repeat(100_001) },
    fails: ['EventTooLarge', 'do[0].emit'],
  },
  ...[
    'error',
    'usage',
    'gateway.jwks.updated',
    'runtime.automations.executed',
    'workspaces.deleted',
    'apps.published',
  ].map(
    (type): Case => ({
      promise: `emit of ${type} is refused`,
      main: out(1, { emit: { event: type } }),
      fails: ['ForbiddenError', 'do[0].emit'],
    }),
  ),
  // the rest of the vocabulary
  { promise: 'comment does nothing', main: out(1, { comment: '{{ not a template' }), output: 1 },
  ...(
    [
      ['run', { module: 'collections', function: 'find' }],
      ['auth', { workspace: true }],
    ] as const
  ).map(
    ([name, args]): Case => ({
      promise: `${name} says that it is not available yet`,
      main: out(1, { [name]: args }),
      fails: ['InvalidInstructionError', `do[0].${name}`],
    }),
  ),
  {
    promise: 'a malformed instruction fails when it is run',
    main: out(1, setting('a', 1), { set: { name: 'x' } }),
    fails: ['InvalidInstructionError', 'do[1].set'],
  },
  {
    promise: 'a malformed instruction that is not reached harms nobody',
    main: out(1, { conditions: { false: [{ set: {} }] } }),
    output: 1,
  },
  {
    promise: 'two instructions in one step fail',
    main: out(1, { set: { name: 'a', value: 1 }, emit: { event: 'x' } }),
    fails: ['InvalidInstructionError', 'do[0].set'],
  },
  { promise: 'an empty step fails', main: out(1, {}), fails: ['InvalidInstructionError', 'do[0]'] },
  {
    promise: 'an output that can not be read fails',
    main: out('{{a', setting('a', 1)),
    fails: ['InvalidExpressionSyntax', 'output'],
  },
  {
    promise: 'an expression that fails tells why',
    main: out(1, setting('a', '{% nothing({{a}}) %}')),
    fails: ['InvalidExpressionSyntax', 'do[0].set'],
  },
  {
    promise: 'an automation without do answers its output',
    main: { output: { a: [1] } },
    output: { a: [1] },
  },
]

describe('an automation', () => {
  test.each(cases.map((one) => [one.promise, one] as const))('%s', async (_, one) => {
    const workspace = compiled({ main: one.main, ...one.others }, one.config)
    const { output, failed, events } = await runMain(workspace, one.payload)
    const failure = failed && [failed.failure.name, failed.instruction]
    expect(failure).toEqual(one.fails)
    if (one.fails === undefined && 'output' in one) expect(output).toEqual(one.output)
    const emitted = events.filter(({ source }) => source.serviceTopic !== undefined)
    if (one.emits !== undefined)
      expect(emitted.map(({ type, payload }) => [type, payload])).toEqual(one.emits)
  })

  test.each([
    [undefined, [null, null]],
    ['pages.example:8443', ['https://test.pages.example:8443', '.pages.example:8443']],
  ])('knows where the pages of its workspace are below %s', async (pagesHost, expected) => {
    const urls = { apiUrl: 'https://api.example/v2', consoleUrl: 'https://console.example', pagesHost }
    const main = out('{% json([{{global.pagesUrl}}, {{global.pagesHost}}]) %}')
    const { output } = await runMain(compiled({ main }), {}, {}, testEngine({ urls }))
    expect(JSON.parse(String(output))).toEqual(expected)
  })
})
