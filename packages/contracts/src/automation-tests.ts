import { z } from 'zod'
import { AutomationSlug } from './automations.ts'
import { Duration } from './duration.ts'
import { endpoint } from './endpoint.ts'
import { instant } from './instant.ts'
import { RunChange, RunError, RunStep } from './run-steps.ts'

/** Tests of one file, and of one request. */
export const MOST_TESTS = 200

/** Characters of one text. */
const MOST_TEXT = 300_000

const Values = z.record(z.string(), z.unknown())
const Text = z.string().min(1).max(2000)

/** What stands in for something that is not done in a test: an output, or a failure. */
export const StubAnswer = z.union([
  z.strictObject({ output: z.unknown() }),
  z.strictObject({
    error: z
      .union([Text, z.strictObject({ error: z.string().max(100), message: z.string().max(2000).optional() })])
      .describe('The name of a failure, or its name and its message.'),
  }),
])

export const StubAnswers = z
  .union([StubAnswer, z.array(StubAnswer).min(1).max(1000)])
  .describe('One answer for every call, or a list: the first call gets the first.')
export type StubAnswers = z.infer<typeof StubAnswers>

/** What a server answers in a test. */
export const FetchStubAnswer = z.strictObject({
  status: z.int().min(200).max(599).optional().describe('200 without it.'),
  headers: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
  body: z.unknown().optional().describe('A text as it is, else JSON.'),
  base64: z.string().optional().describe('The body as bytes.'),
  chunks: z.array(z.unknown()).max(1000).optional().describe('The body as server-sent events, one for each.'),
  error: Text.optional().describe('There is no answer: the connection failed so.'),
  delay: Duration.optional().describe('How long the answer takes. No time is spent on it.'),
})
export type FetchStubAnswer = z.infer<typeof FetchStubAnswer>

export const FetchStub = z.strictObject({
  url: Text.describe('The address; `*` stands for any characters. Without `?` the query does not matter.'),
  method: z.string().max(10).optional().describe('Any without it.'),
  headers: Values.optional().describe('What the request must have of headers.'),
  query: Values.optional(),
  body: z.unknown().optional().describe('What the body of the request must have; matchers are possible.'),
  answer: z
    .union([FetchStubAnswer, z.array(FetchStubAnswer).min(1).max(1000)])
    .optional()
    .describe('One answer for every request that fits, or a list: the first gets the first. 200 without it.'),
})
export type FetchStub = z.infer<typeof FetchStub>

export const UserOfTest = z.union([
  z.null(),
  z.string().min(1).max(200),
  z.strictObject({
    id: z.string().min(1).max(200),
    email: z.string().max(200).optional(),
    role: z.string().max(100).optional(),
    session: z.string().max(200).optional(),
    anonymous: z.boolean().optional(),
    ip: z.string().max(100).optional(),
    socket: z.string().max(200).optional(),
  }),
])

export const ContextsOfTest = z.strictObject({
  user: Values.optional(),
  session: Values.optional(),
  global: Values.optional(),
  run: Values.optional(),
  socket: Values.optional(),
})

export const CollectionOfTest = z.union([
  z.array(Values).max(1000),
  z.strictObject({
    rows: z.array(Values).max(1000).optional(),
    properties: Values.optional(),
    indexes: z.array(z.unknown()).max(8).optional(),
    uniques: z.array(z.unknown()).max(4).optional(),
  }),
])

const when = {
  after: Duration.optional().describe('So long after the test began.'),
  at: instant.optional(),
}

export const LaterInTest = z.union([
  z.strictObject({ ...when, event: Text, payload: Values.optional(), source: Values.optional() }),
  z
    .strictObject({ ...when, schedule: AutomationSlug })
    .describe('The automation runs as its schedule fires.'),
])

const list = <Item extends z.ZodType>(item: Item, what: string) =>
  z
    .union([
      z.array(item).max(1000),
      z.strictObject({ inAnyOrder: z.array(item).max(1000) }),
      z.strictObject({ including: z.array(item).max(1000) }),
    ])
    .describe(
      `${what} in this order and no others; inAnyOrder: in any order and no others; including: these, and ` +
        'whatever else.',
    )

export const ExpectedOfTest = z.strictObject({
  output: z.unknown().optional().describe('Exactly this; matchers are possible.'),
  error: z
    .union([Text, z.record(z.string(), z.unknown())])
    .optional()
    .describe(
      'The name of the failure, or what it has of error, message, details, automationSlug, instruction.',
    ),
  events: list(z.union([Text, Values]), 'The events that automations emitted:').optional(),
  fetches: list(z.union([Text, Values]), 'The requests that were made:').optional(),
  calls: list(z.union([Text, Values]), 'The automations that were called by others:').optional(),
  contexts: ContextsOfTest.optional().describe('What contexts hold when all has ended.'),
  collections: z
    .record(z.string(), list(Values, 'The records'))
    .optional()
    .describe('What collections hold when all has ended.'),
  answer: z
    .strictObject({
      status: z.unknown().optional(),
      headers: Values.optional(),
      body: z.unknown().optional(),
      chunks: z.array(z.unknown()).optional(),
    })
    .optional()
    .describe('Of a URL trigger.'),
})
export type ExpectedOfTest = z.infer<typeof ExpectedOfTest>

const fieldsOfTest = {
  automation: AutomationSlug.optional().describe('The automation that is run.'),
  arguments: Values.optional().describe('What it is called with.'),
  endpoint: z
    .union([
      Text,
      z.strictObject({
        path: Text,
        method: z.string().max(10).optional(),
        query: Values.optional(),
        headers: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
        body: z.unknown().optional(),
        rawBody: z.string().optional().describe('The bytes of the body as a text, where they matter.'),
      }),
    ])
    .optional()
    .describe('A call of a URL trigger: `orders/42`, `GET orders/42`, or its parts.'),
  event: z
    .union([Text, z.strictObject({ event: Text, payload: Values.optional(), source: Values.optional() })])
    .optional()
    .describe('An event that comes in: what listens to it runs, or `automation` alone.'),
  payload: Values.optional().describe('Of the event.'),
  schedule: z
    .string()
    .max(100)
    .optional()
    .describe('With `automation`: it runs as a schedule with this cron fires, at the next of its times.'),
  user: UserOfTest.optional().describe('Who runs it; null for nobody. An owner of the workspace without it.'),
  contexts: ContextsOfTest.extend({
    config: Values.optional(),
    secret: z.record(z.string(), z.string()).optional(),
  })
    .optional()
    .describe('What contexts hold before; `secret` has the values of secrets.'),
  now: instant.optional().describe('When the test begins; 2026-01-01T09:00:00Z without it.'),
  seed: z
    .union([z.string().max(100), z.number()])
    .optional()
    .describe('Of all chance; the same gives the same.'),
  later: z.array(LaterInTest).max(1000).optional().describe('What happens while automations wait.'),
  follow: z
    .boolean()
    .optional()
    .describe('true: emitted events start the automations that listen to them, as on the platform.'),
  fetches: z.array(FetchStub).max(1000).optional().describe('Servers; the first that fits answers.'),
  automations: z
    .record(z.string(), StubAnswers)
    .optional()
    .describe(
      'Automations that are not run: what they answer when they are called. One of another workspace is named as ' +
        'runWorkflow does it, workspace and automation: `slug:shop/stock` or `w1234567890abcde/stock`.',
    ),
  modules: z
    .record(z.string(), StubAnswers)
    .optional()
    .describe('Functions that `run` calls, for example `crypto.randomUUID`: what they answer.'),
  functions: z
    .record(z.string(), StubAnswers)
    .optional()
    .describe('Functions in code (`Custom Code.run`), by their names: what they return.'),
  collections: z.record(z.string(), CollectionOfTest).optional().describe('Records that are there before.'),
  expect: ExpectedOfTest.optional().describe('Without it the test passes where nothing fails.'),
} as const

/** One test of an automation. */
export const AutomationTest = z.strictObject({ name: z.string().max(300).optional(), ...fieldsOfTest })
export type AutomationTest = z.infer<typeof AutomationTest>

/** A file of tests: one test, or several with what they have in common above them. */
export const AutomationTestFile = AutomationTest.extend({
  tests: z
    .union([
      z.record(z.string(), z.union([AutomationTest, z.null()])),
      z.array(AutomationTest).max(MOST_TESTS),
    ])
    .optional()
    .describe('Tests by their names. What stands above them holds for each, unless it says otherwise.'),
})
export type AutomationTestFile = z.infer<typeof AutomationTestFile>

const Named = z.strictObject({
  name: z.string().min(1).max(500).describe('Of the file, for example greet.test.yml.'),
  text: z.string().max(MOST_TEXT).optional().describe('YAML or JSON, as the file has it.'),
  content: AutomationTestFile.optional().describe('The same as an object.'),
})

const GivenAutomation = z.strictObject({
  slug: AutomationSlug,
  text: z.string().max(MOST_TEXT).optional().describe('YAML or JSON.'),
  definition: Values.optional().describe('The same as an object.'),
})

export const RunTestsRequest = z.strictObject({
  files: z.array(Named).min(1).max(100),
  automations: z
    .array(GivenAutomation)
    .max(1000)
    .optional()
    .describe(
      'Automations that are tested instead of those that are saved, for example as an editor has them.',
    ),
  steps: z.boolean().optional().describe('true: each result has what its steps did.'),
})

export const TestDifference = z.object({
  path: z.string().describe('What differs, for example output.total or events[1].payload.'),
  message: z.string().describe('A sentence.'),
  expected: z.unknown().optional(),
  got: z.unknown().optional(),
})
export type TestDifference = z.infer<typeof TestDifference>

export const TestResult = z.object({
  file: z.string(),
  name: z.string(),
  status: z.enum(['passed', 'failed', 'notRun']).describe('notRun: there was no time left for it.'),
  durationMs: z.number(),
  differences: z.array(TestDifference).describe('What is not as expected; at most 20 of one test.'),
  error: RunError.optional().describe('How the run failed, if it did.'),
  steps: z.array(RunStep).optional(),
  contexts: z.array(RunChange).optional().describe('What was changed of contexts; with `steps`.'),
})
export type TestResult = z.infer<typeof TestResult>

export const AutomationCoverage = z.object({
  automationSlug: z.string(),
  covered: z.int().describe('Instructions that at least one test came to.'),
  total: z.int(),
  instructions: z.array(
    z.object({
      path: z.string(),
      hits: z.int(),
      line: z.int().optional().describe('Where its text came along with the request.'),
      column: z.int().optional(),
    }),
  ),
})
export type AutomationCoverage = z.infer<typeof AutomationCoverage>

export const TestReport = z.object({
  passed: z.int(),
  failed: z.int(),
  notRun: z.int(),
  durationMs: z.number(),
  results: z.array(TestResult),
  coverage: z.array(AutomationCoverage).describe('Of automations that were run, and those that came along.'),
})
export type TestReport = z.infer<typeof TestReport>

export const runTests = endpoint({
  id: 'runTests',
  summary:
    'Runs tests of automations: a file of tests as YAML or JSON, or several with automations that are tested instead ' +
    'of those that are saved. Nothing of what they do happens: what is outside is answered by the tests, and nothing ' +
    'is stored. Automations that come along are checked as on saving. ' +
    `At most ${MOST_TESTS} tests and 10 s of work; what there is no time for is notRun.`,
  service: 'runtime',
  credential: 'required',
  scope: 'webhooks',
  permission: { action: 'test', on: 'automations' },
  method: 'post',
  path: '/v2/workspaces/:workspaceId/tests',
  bodyKind: 'automation',
  bodyLimitBytes: 4_000_000,
  body: z.union([RunTestsRequest, AutomationTestFile]),
  response: TestReport,
  limits: ['tests'],
  failures: [
    'RequestValidationError',
    'InvalidAutomation',
    'AuthenticationError',
    'ForbiddenError',
    'InsufficientScope',
    'SuspendedWorkspaceError',
    'ObjectNotFoundError',
    'UnsupportedMediaType',
    'ServiceUnavailable',
    'TooManyRequests',
  ],
  example: {
    request: {
      files: [
        {
          name: 'greet.test.yml',
          content: {
            automation: 'greet',
            arguments: { body: { name: 'Ada' } },
            expect: { output: 'Hello Ada' },
          },
        },
      ],
    },
    response: {
      passed: 1,
      failed: 0,
      notRun: 0,
      durationMs: 4,
      results: [{ file: 'greet.test.yml', name: 'greet', status: 'passed', durationMs: 3, differences: [] }],
      coverage: [
        {
          automationSlug: 'greet',
          covered: 1,
          total: 1,
          instructions: [{ path: 'do[0].set', hits: 1, line: 4, column: 5 }],
        },
      ],
    },
  },
})
