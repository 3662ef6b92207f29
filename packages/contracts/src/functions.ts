import { z } from 'zod'
import { Duration } from './duration.ts'
import { endpoint } from './endpoint.ts'
import { event } from './event.ts'
import { exampleFunction, exampleFunctionInput, exampleListedFunction } from './example-values.ts'
import { paging } from './paging.ts'
import { LocalizedText } from './workspaces.ts'

/** Languages of declared functions. */
export const functionLanguages = ['javascript', 'typescript', 'python'] as const
export type FunctionLanguage = (typeof functionLanguages)[number]

const shortLanguages: Readonly<Record<string, FunctionLanguage>> = {
  js: 'javascript',
  ts: 'typescript',
  py: 'python',
}

/** The language behind one of its names. */
export const functionLanguageOf = (given: FunctionLanguage | keyof typeof shortLanguages): FunctionLanguage =>
  shortLanguages[given] ?? (given as FunctionLanguage)

/** Words with another meaning where functions are called, or as keys of objects. */
const takenNames = new Set(['run', '__proto__', 'constructor', 'prototype'])

/** Name of a declared function: its identity in its workspace. */
export const FunctionName = z
  .string()
  .regex(/^[a-zA-Z_$][\w$]{0,99}$/, 'must be an identifier of 1–100 letters, digits, _ or $')
  .refine((name) => !takenNames.has(name), { message: 'is a word that is not allowed as a name' })

const editable = {
  description: LocalizedText.nullish(),
  code: z
    .string()
    .min(1)
    .describe('What the function is made of; docs/automations.md says how it is written.'),
  parameters: z
    .record(z.string(), z.unknown())
    .nullish()
    .describe(
      'Name → JSON schema, as the arguments of an automation. `required: true`: a call must give it.',
    ),
  validateParameters: z
    .boolean()
    .optional()
    .describe('true: a call with other parameters, or without one that is required, is refused.'),
  dependencies: z
    .array(z.string().min(1).max(200))
    .max(50)
    .optional()
    .describe('Names of libraries it imports.'),
  timeout: Duration.optional().describe(
    'Longest call: seconds, or a number with ms, s or m; FUNCTIONS_RUN_TIMEOUT at most, and without it.',
  ),
}

const givenLanguage = z.enum([...functionLanguages, 'js', 'ts', 'py'])

/** A function as it is declared. */
export const FunctionInput = z.strictObject({ name: FunctionName, language: givenLanguage, ...editable })
export type FunctionInput = z.infer<typeof FunctionInput>

/** The same where the path has its name. */
export const NamedFunctionInput = z.strictObject({
  name: FunctionName.optional().describe('That of the path.'),
  language: givenLanguage,
  ...editable,
})

/** What of a function changes; what it must have can't be taken away. */
const FunctionPatch = z.strictObject({
  language: givenLanguage.optional(),
  ...editable,
  code: editable.code.optional(),
  validateParameters: editable.validateParameters.nullable(),
  dependencies: editable.dependencies.nullable(),
  timeout: editable.timeout.nullable(),
})

/** A function as it is stored and as the runtime reads it. */
export const FunctionDefinition = z.object({
  name: z.string(),
  language: z.enum(functionLanguages),
  ...editable,
})
export type FunctionDefinition = z.infer<typeof FunctionDefinition>

export const DeclaredFunction = FunctionDefinition.extend({
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  createdBy: z.string(),
  updatedBy: z.string(),
  checksum: z.string(),
})
export type DeclaredFunction = z.infer<typeof DeclaredFunction>

/** What became of the functions of a workspace, by name. */
const SyncedFunctions = z.object({
  created: z.array(z.string()),
  updated: z.array(z.string()),
  deleted: z.array(z.string()),
  unchanged: z.array(z.string()),
})
export type SyncedFunctions = z.infer<typeof SyncedFunctions>

/** One line that a function has written. */
export const FunctionLog = z.object({
  level: z.string().describe('debug, info, warn or error.'),
  text: z.string(),
  at: z.iso.datetime(),
})
export type FunctionLog = z.infer<typeof FunctionLog>

/** What a call of a function gives. */
export const FunctionResult = z.object({
  result: z.unknown().describe('What the function returned, as JSON.'),
  logs: z.array(FunctionLog),
  duration: z.number().describe('Milliseconds.'),
})
export type FunctionResult = z.infer<typeof FunctionResult>

const failures = [
  'RequestValidationError',
  'AuthenticationError',
  'ForbiddenError',
  'InsufficientScope',
  'ObjectNotFoundError',
] as const

const collection = '/v2/functions/:workspaceId'
const single = '/v2/functions/:workspaceId/:functionName'
const of = { service: 'workspaces', credential: 'required' } as const

/** Room for all functions of a workspace in one request. */
const SYNC_BYTES = 20_000_000

export const listFunctions = endpoint({
  ...of,
  id: 'listFunctions',
  summary: 'A page of the declared functions of a workspace, by name, without their code.',
  scope: 'workspaces:read',
  permission: { action: 'read', on: 'automations' },
  method: 'get',
  path: collection,
  query: z.strictObject(paging),
  response: z.array(DeclaredFunction.omit({ code: true })),
  failures,
  example: { response: [exampleListedFunction] },
})

export const syncFunctions = endpoint({
  ...of,
  id: 'syncFunctions',
  summary:
    'Makes the functions of a workspace be exactly these, all of them or none; answers what changed. A mistake in ' +
    'the code of one is told with its line and column.',
  scope: 'workspaces:write',
  permission: { action: 'update', on: 'automations' },
  method: 'post',
  path: collection,
  body: z.strictObject({ functions: z.array(FunctionInput).max(10_000) }),
  bodyLimitBytes: SYNC_BYTES,
  response: SyncedFunctions,
  idempotent: 'answer',
  failures: [...failures, 'InvalidFunction', 'PayloadTooLarge'],
  example: {
    request: { functions: [exampleFunctionInput] },
    response: { created: ['total'], updated: [], deleted: [], unchanged: [] },
  },
})

export const getFunction = endpoint({
  ...of,
  id: 'getFunction',
  summary: 'Reads a declared function, with its code.',
  scope: 'workspaces:read',
  permission: { action: 'read', on: 'automations' },
  method: 'get',
  path: single,
  response: DeclaredFunction,
  etag: true,
  failures,
  example: { response: exampleFunction },
})

const { name: exampleName, ...exampleNamed } = exampleFunctionInput

export const putFunction = endpoint({
  ...of,
  id: 'putFunction',
  summary: 'Declares a function, or another in the place of the one there is.',
  scope: 'workspaces:write',
  permission: { action: 'update', on: 'automations' },
  method: 'put',
  path: single,
  body: NamedFunctionInput,
  response: DeclaredFunction,
  etag: true,
  failures: [...failures, 'InvalidFunction', 'PreconditionFailed', 'PayloadTooLarge'],
  example: { request: exampleNamed, response: exampleFunction },
})

export const patchFunction = endpoint({
  ...of,
  id: 'patchFunction',
  summary: 'Changes what is named of a declared function; null takes a field away. The rest stays as it is.',
  scope: 'workspaces:write',
  permission: { action: 'update', on: 'automations' },
  method: 'patch',
  path: single,
  body: FunctionPatch,
  response: DeclaredFunction,
  etag: true,
  failures: [...failures, 'InvalidFunction', 'PreconditionFailed', 'PayloadTooLarge'],
  example: { request: { timeout: '5s' }, response: exampleFunction },
})

export const deleteFunction = endpoint({
  ...of,
  id: 'deleteFunction',
  summary: 'Deletes a declared function.',
  scope: 'workspaces:write',
  permission: { action: 'delete', on: 'automations' },
  method: 'delete',
  path: single,
  response: z.object({ name: z.string() }),
  etag: true,
  failures: [...failures, 'PreconditionFailed'],
  example: { response: { name: exampleName } },
})

/** More than most functions are called with; each service says what it takes by REQUEST_MAX_SIZE. */
const CALL_BYTES = 20_000_000

export const runFunction = endpoint({
  id: 'runFunction',
  summary:
    'Calls a declared function, as it is now, and answers what it returned and wrote. What it throws is answered ' +
    'with the line and column of the code.',
  service: 'runtime',
  credential: 'required',
  scope: 'webhooks',
  permission: { action: 'execute', on: 'automations' },
  method: 'post',
  path: '/v2/functions/:workspaceId/run/:functionName',
  body: z.strictObject({ parameters: z.record(z.string(), z.unknown()).optional() }).optional(),
  bodyLimitBytes: CALL_BYTES,
  response: FunctionResult,
  limits: ['functionRuns'],
  failures: [
    ...failures,
    'SuspendedWorkspaceError',
    'InvalidArgumentsError',
    'FunctionError',
    'PayloadTooLarge',
    'TooManyRequests',
    'ServiceUnavailable',
  ],
  example: {
    request: { parameters: { items: [{ price: 2 }, { price: 3 }] } },
    response: { result: 5, logs: [], duration: 0.4 },
  },
})

/** The declaration as its events carry it. One that is larger than an event may be is only named. */
const AnnouncedFunction = FunctionDefinition.partial({ language: true, code: true }).extend({
  truncated: z.boolean().optional().describe('true: too large for an event; only the name is here.'),
  size: z.number().optional().describe('UTF-16 length of the JSON text that was left out.'),
})

export const functionCreated = event({
  type: 'workspaces.functions.created',
  emittedWhen: 'A function has been declared.',
  payload: z.object({ name: z.string(), function: AnnouncedFunction }),
})

export const functionUpdated = event({
  type: 'workspaces.functions.updated',
  emittedWhen: 'A declared function has changed.',
  payload: z.object({ name: z.string(), function: AnnouncedFunction }),
})

export const functionDeleted = event({
  type: 'workspaces.functions.deleted',
  emittedWhen: 'A declared function has been deleted.',
  payload: z.object({ name: z.string() }),
})
