import { exampleFunctionInput } from '../example-values.ts'
import type { FunctionInput } from '../functions.ts'
import type { InstructionName } from './vocabulary.ts'

type Steps = readonly Readonly<Record<string, unknown>>[]

/** What the language says of an instruction. The example of one that can be run is run by the tests. */
export interface InstructionDescription {
  readonly text: string
  readonly example: {
    /** What the workspace declares besides. */
    readonly functions?: readonly FunctionInput[]
    readonly do: Steps
    readonly output?: unknown
    readonly gives?: unknown
  }
}

/** Every instruction, as the documents show it. */
export const instructionDescriptions: Readonly<Record<InstructionName, InstructionDescription>> = {
  set: {
    text:
      'Writes a variable: a path with dots and `[index]`; `x[]` appends. `type: merge` adds fields or ' +
      'items, `push` appends a value.',
    example: {
      do: [
        { set: { name: 'order.items[]', value: { sku: 'a', amount: 2 } } },
        { set: { name: 'order', type: 'merge', value: { paid: false } } },
      ],
      output: '{{order}}',
      gives: { items: [{ sku: 'a', amount: 2 }], paid: false },
    },
  },
  delete: {
    text: 'Removes a variable or a part of one; nothing happens when it is not there.',
    example: {
      do: [{ set: { name: 'a', value: { b: 1, c: 2 } } }, { delete: { name: 'a.b' } }],
      output: '{{a}}',
      gives: { c: 2 },
    },
  },
  emit: {
    text:
      'Emits an event of the workspace. It is committed with the run, once, also when the run is done ' +
      'again. With a `target` only those it names see it.',
    example: {
      do: [{ emit: { event: 'order.placed', payload: { order: 42 }, output: 'event' } }],
      output: '{{event.payload}}',
      gives: { order: 42 },
    },
  },
  wait: {
    text:
      'Waits for the first of several events, or, without `oneOf`, for a time. A run of an event or a schedule that ' +
      'waits is stored and nothing of it is kept in memory: it may wait for weeks, and restarts don’t matter to it. ' +
      'Of events that came already those count that were emitted after the last event the run waited for, else ' +
      'after the one that started it, else since it began: an answer can’t come too early, and each event of a ' +
      'burst ends one wait, in the order in which they were emitted. Branches of `all`, and rounds of a batch, each ' +
      'count for themselves. ' +
      'Who has waited in vain for a quarter of an hour looks back no further than that, and nobody to what the ' +
      'outbox does not hold any more (`OUTBOX_RETENTION_HOURS`, 72 by default). `filters` compare what is found in ' +
      'the event (`payload.order.id`, `source.userId`) with what they say when the wait begins. After the wait ' +
      'contexts are read again. A run that a request waits for waits no longer than the request.',
    example: {
      do: [
        {
          wait: {
            oneOf: [{ event: 'order.paid', filters: { 'payload.order': 42 } }, { event: 'order.cancelled' }],
            timeout: '50ms',
            output: 'event',
          },
        },
        {
          conditions: {
            '{{event}}': [{ set: { name: 'result', value: '{{event.type}}' } }],
            default: [{ set: { name: 'result', value: 'nobody paid' } }],
          },
        },
      ],
      output: '{{result}}',
      gives: 'nobody paid',
    },
  },
  conditions: {
    text: 'Runs the steps of the first expression that holds, in the order written, else those of `default`.',
    example: {
      do: [
        { set: { name: 'age', value: 20 } },
        {
          conditions: {
            '{{age}} >= 18': [{ set: { name: 'may', value: true } }],
            default: [{ set: { name: 'may', value: false } }],
          },
        },
      ],
      output: '{{may}}',
      gives: true,
    },
  },
  repeat: {
    text:
      'Runs its steps for each item of `on` (`item`, `$index`; `item.key` and `item.value` of an object), ' +
      'and no longer than `until` a count or an expression. With `batch` several at a time. `on` may be ' +
      'the `body` of a `fetch` that is a stream: each event is an item, `{ chunk: { data, event, id } }`, `data` the ' +
      'list of its lines, read as JSON where they are JSON. The other side sends no faster than the rounds go. The ' +
      'repeat ends with the stream, and fails with `StreamInterrupted` where that breaks off, sends nothing for the ' +
      '`timeout` of the fetch, or the run was given up meanwhile (another process took it over, or it came to a ' +
      '`wait`).',
    example: {
      do: [
        { set: { name: 'sum', value: 0 } },
        { repeat: { on: [1, 2, 3], do: [{ set: { name: 'sum', value: '{% {{sum}} + {{item}} %}' } }] } },
      ],
      output: '{{sum}}',
      gives: 6,
    },
  },
  all: {
    text: 'Runs its steps side by side and ends when all have ended.',
    example: {
      do: [{ all: [{ set: { name: 'a', value: 1 } }, { set: { name: 'b', value: 2 } }] }],
      output: '{% {{a}} + {{b}} %}',
      gives: 3,
    },
  },
  break: {
    text:
      'Ends the automation, the `repeat` around, or everything up to the nearest `try` (`scope: all`); ' +
      '`payload` is the output then.',
    example: {
      do: [{ break: { payload: 'early' } }, { set: { name: 'late', value: true } }],
      output: '{{late}}',
      gives: 'early',
    },
  },
  try: {
    text:
      'Steps whose failure is caught, also without `catch`: `$error` tells of it in `catch` and after. ' +
      '`finally` runs either way, also when the run is cancelled, then for 30 s at most. With `finally` and ' +
      'without `catch` a failure goes on once that is done.',
    example: {
      do: [
        {
          try: {
            do: [{ set: { name: 'a', value: '{% json("no JSON") %}' } }],
            catch: [{ set: { name: 'failed', value: '{{$error.name}}' } }],
          },
        },
      ],
      output: '{{failed}}',
      gives: 'InvalidExpressionSyntax',
    },
  },
  fetch: {
    text:
      'An HTTP request. `output` is the body (JSON is read), with `detailed_response` its `body`, `headers` and ' +
      '`status`, or the bytes as `base64` or `data_url`. A status from 400 does not end the run; where no answer ' +
      'came, `output` is `{ error: { name, message } }`. Both emit `runtime.fetch.failed`. What is busy or breaks ' +
      'off is tried again; each attempt, also of a run that goes on after a crash, carries the same ' +
      '`Idempotency-Key`, so that the other side can tell; an answer that a run has kept is not asked for again. ' +
      'An answer of server-sent events (`text/event-stream`) is there as soon as its headers are: `output` is then ' +
      '`{ body, headers, status }` whatever `outputMode` says, and `repeat` reads its `body` while it comes. With ' +
      '`stream` the fetch reads it itself and ends with it: its `body` is the list of chunks, or with `concatenate` ' +
      'the last one with the whole text. ' +
      'Addresses inside the platform’s network are refused.\n\nBelow `{{global.apiUrl}}` it calls the platform: ' +
      'as the user of the run while they are signed in, who may then what visitors may, in other workspaces only ' +
      'execute automations; as the workspace (`auth.prismeai.forwardWorkspaceAuth`, [`auth`](#auth)); or with an ' +
      'API key of the workspace (`prismeaiApiKey: { name }`). The automation that is called reads ' +
      '`run.sourceWorkspaceId`.',
    example: {
      do: [
        {
          fetch: {
            url: 'https://shop.example/orders',
            method: 'post',
            query: { dry: true },
            headers: { Authorization: 'Bearer {{token}}' },
            body: { sku: 'a', amount: 2 },
            timeout: '5s',
            outputMode: 'detailed_response',
            output: 'response',
          },
        },
        {
          conditions: {
            '{{response.error}}': [{ set: { name: 'order', value: null } }],
            default: [{ set: { name: 'order', value: '{{response.body}}' } }],
          },
        },
      ],
      output: { status: '{{response.status}}', order: '{{order}}' },
      gives: { status: 201, order: { sku: 'a', amount: 2 } },
    },
  },
  rateLimit: {
    text:
      'Counts a use of a limit of this workspace: at most `limit` within any `window` of seconds, for each ' +
      '`consumer` by itself. Where there is no room the automation ends, unless `break` is false; nothing is counted ' +
      'then. `output` is `{ ok, retryAfter, limit, remaining, window, consumer }`, `retryAfter` in seconds. All ' +
      'instances count together while the cache (CACHE_URL) answers, else each process by itself.',
    example: {
      do: [
        {
          rateLimit: {
            name: 'mails',
            window: 60,
            limit: 10,
            consumer: '{{user.id}}',
            break: false,
            output: 'mails',
          },
        },
        {
          conditions: {
            'not {{mails.ok}}': [{ break: { payload: { tryAgainIn: '{{mails.retryAfter}}' } } }],
          },
        },
      ],
      output: '{{mails.remaining}}',
      gives: 9,
    },
  },
  run: {
    text:
      'Calls a function of a [module](#modules); `output` is what it answers. Where it fails, `onError` says what ' +
      'becomes of the run: `break` (without it) fails the step, `continue` goes on with `{ error, message }` as the ' +
      'output, `emit` does so as well and emits the event `error`.',
    example: {
      do: [
        { run: { module: 'crypto', function: 'sha256', parameters: { data: 'abc' }, output: 'hash' } },
        {
          run: {
            module: 'text',
            function: 'applyPatch',
            parameters: { content: 'a', patch: 'no patch' },
            onError: 'continue',
            output: 'patched',
          },
        },
      ],
      output: ['{{hash}}', '{{patched.error}}'],
      gives: ['ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad', 'InvalidArgumentsError'],
    },
  },
  'Custom Code.run': {
    text:
      'Calls a function that the workspace declares in code (see Custom code), and answers what it returns. What it ' +
      'throws fails the step, with the line of the code, unless `onError` says otherwise. What it returned is kept ' +
      'with the run and not asked for again; where a process ends meanwhile the run calls it once more, and what it ' +
      'fetches then has the same `Idempotency-Key`. `Custom Code.total: { items: […], output: sum }` is a shorter ' +
      'way to call `total`.',
    example: {
      functions: [exampleFunctionInput],
      do: [
        {
          'Custom Code.run': {
            function: 'total',
            parameters: { items: [{ price: 2 }, { price: 3 }] },
            output: 'sum',
          },
        },
      ],
      output: '{{sum}}',
      gives: 5,
    },
  },
  runWorkflow: {
    text:
      'Calls another automation and takes its output, or starts a run of its own with `wait: false`. Any ' +
      'other key of a step does the same: it is the slug of an automation.\n\nWith `workspace` it is one of another ' +
      'workspace, whose address everybody may call, or which the user of the run may execute there by a role; ' +
      '`private: true` hides one from all other workspaces. It is a run of its own there, with the contexts, secrets ' +
      'and limits of that workspace, where `run.sourceWorkspaceId` names the caller; what it answers, up to 1 MB, is ' +
      'kept with this run.',
    example: {
      do: [{ runWorkflow: { workflow: 'greet', parameters: { name: 'Ada' }, output: 'greeting' } }],
      output: '{{greeting}}',
      gives: 'Hello Ada',
    },
  },
  auth: {
    text:
      'Answers `{ jwt }`, which a `fetch` to the platform itself sends as `Authorization: Bearer {{proof.jwt}}` to ' +
      'call as the workspace and not as the user of the run. The automation that is called reads the workspace in ' +
      '`run.authenticatedWorkspaceId`; in itself the workspace may what its editors may. It counts for ten seconds, ' +
      'in the run that asked for it as long as that goes on, and to nobody but the platform. `forwardWorkspaceAuth` ' +
      'of `fetch` does the same without a variable.',
    example: {
      do: [{ auth: { workspace: true, output: 'proof' } }],
      output: '{% isString({{proof.jwt}}) %}',
      gives: true,
    },
  },
  createUserTopic: {
    text:
      'Makes a topic: an audience of events. Its members see what is emitted with `target: { userTopic }`, in ' +
      'the feed, in searches and live; others do not, but owners of the workspace. Who has no role in the ' +
      'workspace reads as a member what is for the topic or for them alone, and nothing else of it. Where there ' +
      'is such a topic, the users become members of it. That is told by `events.userTopics.created` and ' +
      '`events.userTopics.joined`, which only they see. A workspace has USER_TOPICS_MAX topics, of up to ' +
      'USER_TOPIC_MEMBERS_MAX members; a user is in up to 1,000.',
    example: {
      do: [
        { createUserTopic: { topic: 'order 42', userIds: ['{{user.id}}'] } },
        {
          emit: {
            event: 'order.shipped',
            payload: { order: 42 },
            target: { userTopic: 'order 42' },
            output: 'event',
          },
        },
      ],
      output: '{{event.target}}',
      gives: { userTopic: 'order 42' },
    },
  },
  joinUserTopic: {
    text:
      'Adds users to a topic, the user of the run where none are named. Whoever reads live sees what comes from ' +
      'then on, whichever instance they are connected to; the feed and searches show what came before as well.',
    example: {
      do: [{ joinUserTopic: { topic: 'team', create: true } }, { set: { name: 'in', value: true } }],
      output: '{{in}}',
      gives: true,
    },
  },
  comment: {
    text: 'Ignored, whatever it says.',
    example: { do: [{ comment: 'Prices are without tax.' }], output: 'done', gives: 'done' },
  },
}
