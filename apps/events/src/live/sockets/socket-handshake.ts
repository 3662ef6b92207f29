import { headers as names } from '@platform/contracts'
import { validate } from '@platform/http'
import type { Filter } from '@platform/search'
import { z } from 'zod'
import { feedFilter } from '../../event-log/event-filter.ts'

const Scalar = z.union([z.string().max(500), z.number(), z.boolean()])

/** Which events a socket is sent. Paths are those of the feed; `payload.` may be left out. */
export const SocketFilters = z.strictObject({
  payloadQuery: z
    .record(z.string().max(300), z.union([Scalar, z.array(Scalar).max(50)]))
    .refine((query) => Object.keys(query).length <= 50, 'must have 50 entries at most')
    .optional(),
  text: z.string().max(500).optional(),
  types: z.union([z.string().max(2000), z.array(z.string().max(200)).max(100)]).optional(),
  appInstanceDepth: z.number().int().min(0).max(999).optional(),
})
export type SocketFilters = z.infer<typeof SocketFilters>

/** What a client says when it opens a socket. */
const SocketAuth = z.object({
  filters: SocketFilters.default({}),
  extraHeaders: z.record(z.string().max(100), z.string().max(8000)).default({}),
})
export type SocketAuth = z.infer<typeof SocketAuth>

/** Throws RequestValidationError. */
export const readAuth = (auth: unknown): SocketAuth => validate(SocketAuth, auth ?? {}, 'body')

/** What the filters of a socket mean: the same as those of the feed. Throws RequestValidationError. */
export function filterOf({ payloadQuery = {}, types, text, appInstanceDepth }: SocketFilters): Filter {
  const paths = Object.entries(payloadQuery).map(([path, value]) => [
    /^(payload|source|target|options|error)\./.test(path) ? path : `payload.${path}`,
    [value].flat().map(String),
  ])
  const query = {
    ...Object.fromEntries(paths),
    ...(types === undefined ? {} : { types: [types].flat().join(',') }),
    ...(text === undefined ? {} : { text }),
    ...(appInstanceDepth === undefined ? {} : { appInstanceDepth }),
  }
  return feedFilter(query as Parameters<typeof feedFilter>[0])
}

/** The credential a client shows in its first message, as headers for the gateway; undefined when it shows none. */
export function credentialOf({ extraHeaders }: SocketAuth): Record<string, string> | undefined {
  const given = Object.entries(extraHeaders).map(([name, value]) => [name.toLowerCase(), value] as const)
  const shown = given.filter(([name]) => name === 'authorization' || name === names.apiKey)
  return shown.length === 0 ? undefined : Object.fromEntries(shown)
}
