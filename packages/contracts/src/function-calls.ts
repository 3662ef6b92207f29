import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { exampleFunctionInput } from './example-values.ts'
import { functionLanguages } from './functions.ts'

/** The text of a function, and what is known of it before it runs. */
const code = {
  workspaceId: z.string(),
  language: z.enum(functionLanguages),
  code: z.string(),
  dependencies: z.array(z.string()),
  parameterNames: z.array(z.string()).describe('Those that are declared.'),
}

const Log = z.object({ level: z.enum(['debug', 'info', 'warn', 'error']), text: z.string(), at: z.number() })
const place = { line: z.number().optional(), column: z.number().optional() }

/** Why a call has no answer. */
const CallFailure = z.object({
  reason: z.enum([
    'threw',
    'invalidCode',
    'dependencyNotAllowed',
    'timedOut',
    'outOfMemory',
    'outputTooLarge',
    'invalidOutput',
    'parametersTooLarge',
    'killed',
    'busy',
  ]),
  message: z.string(),
  ...place,
  logs: z.array(Log),
  durationMs: z.number(),
})

/** A call of text that somebody has written, by a service that has it from its workspace. */
export const callFunction = endpoint({
  id: 'callFunction',
  summary: 'Calls a function whose code is sent along, for a service of the platform.',
  service: 'functions',
  credential: 'internal',
  method: 'post',
  path: '/sys/functions/call',
  body: z.strictObject({
    ...code,
    name: z.string(),
    parameters: z.record(z.string(), z.unknown()),
    timeoutMs: z.number().positive(),
    key: z
      .string()
      .max(200)
      .describe('What it asks outside is sent with it, so that the other side can tell.'),
    traceparent: z.string().max(200).optional(),
    secrets: z
      .array(
        z.strictObject({
          keyId: z.string(),
          bytes: z.string(),
          value: z.string().optional(),
          gone: z.string().optional().describe('Why there is no value.'),
        }),
      )
      .max(100)
      .optional()
      .describe('What the parameters refer to: put in where a request leaves, and shown to nobody.'),
    fetchRate: z
      .strictObject({ perSecond: z.number().positive(), burst: z.number().positive() })
      .nullable()
      .optional()
      .describe(
        'How often the workspace may fetch, where an operator has said that; null: nothing holds it back.',
      ),
  }),
  bodyLimitBytes: 21_000_000,
  response: z.union([
    z.object({ failure: CallFailure }),
    z.object({ result: z.unknown(), logs: z.array(Log), durationMs: z.number() }),
  ]),
  failures: ['RequestValidationError', 'AuthenticationError', 'PayloadTooLarge', 'ServiceUnavailable'],
})

/** Finds what keeps a function from being run, for whoever saves it. */
export const checkFunction = endpoint({
  id: 'checkFunction',
  summary: 'Checks the code of a function without running it, for a service of the platform.',
  service: 'functions',
  credential: 'internal',
  method: 'post',
  path: '/sys/functions/check',
  body: z.strictObject(code),
  response: z.object({ problems: z.array(z.object({ message: z.string(), ...place })) }),
  failures: ['RequestValidationError', 'AuthenticationError', 'ServiceUnavailable'],
  example: {
    request: {
      workspaceId: 'k3x9w0a1b2c3d4e5',
      language: 'javascript',
      code: exampleFunctionInput.code,
      dependencies: [],
      parameterNames: ['items'],
    },
    response: { problems: [] },
  },
})
