import { z } from 'zod'
import { event } from './event.ts'

/** Types of events; `*` stands for any characters. */
const types = z
  .array(
    z
      .string()
      .min(1)
      .max(200)
      .regex(/^[a-zA-Z0-9 ._*-]+$/, 'must be characters of [a-zA-Z0-9 ._-] and *'),
  )
  .min(1)
  .max(50)
  .describe('Types of events; * stands for any characters.')

const filterPath = z
  .string()
  .max(300)
  .regex(
    /^(payload|source|target|options|error)(\.[\w $-]{1,100}){1,20}$/,
    'must be a path such as payload.order.id',
  )
const filterValue = z.union([z.string().max(500), z.number(), z.boolean()])

/**
 * As the free filters of the feed: any of the values; `*` is a wildcard, an empty text means missing. All paths must
 * hold.
 */
const filter = z
  .record(filterPath, z.union([filterValue, z.array(filterValue).min(1).max(50)]))
  .refine((paths) => Object.keys(paths).length <= 20, 'must have at most 20 paths')
  .describe('Paths of the event and their values, as in the feed.')

/** Headers that the platform sets itself, or that belong to one connection. */
const ownHeaders = new RegExp(
  '^(host|connection|content-.*|transfer-encoding|keep-alive|upgrade|expect|te|trailer|user-agent|' +
    'proxy-.*|webhook-.*|x-platform-.*)$',
  'i',
)

const headers = z
  .record(
    z
      .string()
      .regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, 'must be a header name')
      .refine((name) => !ownHeaders.test(name), 'is set by the platform'),
    z.string().regex(/^[\x20-\x7e]{0,2000}$/, 'must be printable ASCII'),
  )
  .refine((all) => Object.keys(all).length <= 20, 'must have at most 20 headers')
  .describe('Headers of every request; their values are secrets and never answered.')

const url = z
  .url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' })
  .max(2000)
  .refine((text) => {
    const parsed = URL.parse(text)
    return parsed !== null && parsed.username === '' && parsed.password === ''
  }, 'must not hold a user name or password: use headers')
  .describe('Where events are POSTed.')

const settings = {
  url,
  name: z.string().trim().max(100),
  events: types,
  filter,
  active: z.boolean(),
  ordered: z
    .boolean()
    .describe('One after the other, in the order of the log; a failing one holds back the rest.'),
  maxConcurrency: z.int().min(1).max(20).describe('Requests at once; 1 where ordered.'),
  headers,
}

/** A subscription as it is asked for. */
export const NewSubscription = z.strictObject({
  ...settings,
  name: settings.name.default(''),
  filter: filter.default({}),
  active: settings.active.default(true),
  ordered: settings.ordered.default(false),
  maxConcurrency: settings.maxConcurrency.default(5),
  headers: headers.default({}),
})
export type NewSubscription = z.infer<typeof NewSubscription>

/** What is to be changed of one. */
export const SubscriptionChange = z.strictObject(settings).partial()
export type SubscriptionChange = z.infer<typeof SubscriptionChange>

/** What was saved but will not work as it is. */
export const subscriptionWarnings = z
  .array(z.object({ path: z.string(), message: z.string() }))
  .optional()
  .describe('What was saved but will not arrive as it is, for example at an address that is not public.')

/**
 * Why a subscription sends nothing: somebody paused it, its endpoint answered 410, or all deliveries failed for too
 * long.
 */
export const PausedReason = z.enum(['manual', 'gone', 'failing'])
export type PausedReason = z.infer<typeof PausedReason>

/** A subscription as it is answered: never a secret, of the headers the names only. */
export const Subscription = z.object({
  id: z.string(),
  name: z.string(),
  url: z.string(),
  events: z.array(z.string()),
  filter: z.record(z.string(), z.unknown()),
  active: z.boolean(),
  pausedReason: PausedReason.nullable(),
  pausedAt: z.iso.datetime().nullable(),
  failingSince: z.iso
    .datetime()
    .nullable()
    .describe('Since when every delivery fails; null while they arrive.'),
  ordered: z.boolean(),
  maxConcurrency: z.number(),
  headers: z.array(z.string()).describe('Names only.'),
  previousSecretUntil: z.iso.datetime().nullable().describe('Until when the secret before signs as well.'),
  createdBy: z.string(),
  updatedBy: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
})
export type Subscription = z.infer<typeof Subscription>

export const subscriptionPaused = event({
  type: 'workspaces.subscriptions.paused',
  emittedWhen:
    'The platform paused a webhook subscription: its endpoint is gone, or all deliveries failed for too long.',
  payload: z.object({
    subscriptionId: z.string(),
    name: z.string(),
    host: z.string().describe('Host of the endpoint.'),
    reason: z.enum(['gone', 'failing']),
    failingSince: z.string(),
    createdBy: z.string(),
  }),
})
