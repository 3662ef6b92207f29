import { z } from 'zod'
import { Duration } from '../duration.ts'
import { EmitOptions, EmitTarget } from './events.ts'
import { fields, OutputName, TemplatedRecord, templated } from './templated.ts'

const methods = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options']

const Method = z
  .string()
  .refine((method) => methods.includes(method.toLowerCase()), `must be one of ${methods.join(', ')}`)

/** A value of a header or a form: what has one obvious text. */
const Scalar = z.union([z.string(), z.number(), z.boolean(), z.null()])

const Stream = fields({
  event: z
    .string()
    .min(1)
    .max(1000)
    .optional()
    .describe('Event that tells of each chunk as it comes: `{ chunk, additionalPayload }`.'),
  endChunk: z.unknown().optional().describe('Chunk of one more event, once the stream has ended.'),
  concatenate: z
    .strictObject({
      path: z
        .string()
        .max(1000)
        .optional()
        .describe('Where chunks have parts of a text, within their data: `choices[0].delta.content`.'),
      throttle: templated(z.number().nonnegative())
        .optional()
        .describe('Milliseconds between two events at least; the last one comes in any case.'),
    })
    .optional()
    .describe('Each event has the whole text so far in place of its part.'),
  payload: TemplatedRecord.optional().describe('`additionalPayload` of each event.'),
  target: EmitTarget.optional(),
  options: EmitOptions.optional(),
})

const Authentication = z.strictObject({
  basic: templated(z.looseObject({})).optional().describe('user, password.'),
  awsv4: templated(z.looseObject({}))
    .optional()
    .describe(
      'accessKeyId, secretAccessKey, sessionToken; service and region where the address does not say them.',
    ),
  oauth2: templated(z.looseObject({}))
    .optional()
    .describe(
      'tokenUrl, clientId, clientSecret, scope, audience; sendsIn: body for servers that want it there.',
    ),
  prismeai: templated(z.strictObject({ forwardWorkspaceAuth: templated(z.boolean()).optional() }))
    .optional()
    .describe('forwardWorkspaceAuth: true calls the platform itself as the workspace.'),
})

const MultipartField = z.strictObject({
  fieldname: z.string().min(1),
  value: z.unknown().refine((value) => value !== undefined, 'is missing'),
  filename: z.string().optional(),
  contentType: z.string().optional(),
})

/** `fetch`: an HTTP request. */
export const FetchArguments = fields({
  url: z.string().min(1).max(20_000).describe('Begins with http:// or https://.'),
  method: templated(Method).optional().describe('get unless stated.'),
  headers: templated(z.record(z.string(), Scalar)).optional(),
  query: TemplatedRecord.optional().describe('Added to the URL; each item of a list by itself.'),
  body: z
    .unknown()
    .optional()
    .describe(
      'A text as it is, else JSON, or a form where the content type says so; none with get and head.',
    ),
  multipart: templated(z.array(MultipartField))
    .optional()
    .describe(
      'A form with files instead of the body. A value is a text, a file as a URL trigger gets it, or a data URL; ' +
        'numbers are sent as texts, objects as JSON.',
    ),
  emitErrors: templated(z.boolean()).optional().describe('false emits no runtime.fetch.failed.'),
  outputMode: templated(z.enum(['body', 'detailed_response', 'data_url', 'base64']))
    .optional()
    .describe('body unless stated.'),
  timeout: templated(Duration)
    .optional()
    .describe('Of one attempt. Seconds, or a number with ms, s, m, h or d.'),
  redirects: templated(z.int().min(0).max(10))
    .optional()
    .describe('Redirects followed, 3 unless stated; 0 answers the redirect itself.'),
  stream: Stream.optional().describe(
    'Tells of an answer of server-sent events, lines of JSON or text while it comes; the output has the whole.',
  ),
  auth: templated(Authentication)
    .optional()
    .describe('One of basic, awsv4 and oauth2 (client credentials; tokens are kept while they count).'),
  prismeaiApiKey: templated(z.strictObject({ name: z.string().max(1000).optional() }))
    .optional()
    .describe('The name of an API key of the workspace, for calls of the platform itself.'),
  allowSelfSignedCert: templated(z.boolean())
    .optional()
    .describe('true takes a certificate that nobody vouches for.'),
  output: OutputName.optional(),
})
export type FetchArguments = z.infer<typeof FetchArguments>
