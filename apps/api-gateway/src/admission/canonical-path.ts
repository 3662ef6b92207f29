import { callWebhook, getAutomation, runScheduleNow, testAutomation } from '@platform/contracts'
import { Failure } from '@platform/kernel'

/** Paths of these bytes, without empty, `.` or `..` segments, mean the same to every server. */
const SUSPICIOUS = /[%;\\]|\/\/|\/\.{1,2}(?:\/|$)/
const FORBIDDEN_DECODED = /[\\;\p{Cc}]|%(?:2f|5c|00|2e)/iu

/** Contracts with a parameter that may hold slashes: the slug of an automation, the path of a URL trigger. */
export const slashedContracts = [callWebhook, getAutomation, testAutomation, runScheduleNow] as const

/** What stands before such a parameter, in any version of the API, for example `/v2/workspaces/x/automations/`. */
const BEFORE_SLASHES = slashedContracts.map(({ path }) => {
  const fixed = path.slice(0, path.indexOf('*')).replace(/:\w+/g, '[^/]+')
  return new RegExp(`^${fixed.replace(/^\/v2\//, '/[^/]+/')}`)
})

/**
 * The one spelling of a path that is matched, authorised and forwarded. Throws RequestValidationError for a path that
 * a service behind the gateway could understand differently: dot segments, `//`, `;`, bad encodings,
 * and encoded slashes except in a parameter that may hold slashes. There `%2F` becomes the slash it stands for: the
 * route is the same, and so is the one spelling.
 */
export function canonicalPath(path: string): string {
  if (!SUSPICIOUS.test(path)) return path
  if (!path.includes('%')) throw ambiguous()
  const segments = path.split('/')
  let canonical = ''
  for (const [index, segment] of segments.entries()) {
    const isEdge = index === 0 || index === segments.length - 1
    const part = segment === '' && isEdge ? '' : canonicalSegment(segment, canonical)
    canonical = index === 0 ? part : `${canonical}/${part}`
  }
  return canonical
}

function canonicalSegment(segment: string, before: string): string {
  const parts = decodeSegment(segment).split('/')
  if (parts.length > 1 && !BEFORE_SLASHES.some((pattern) => pattern.test(`${before}/`))) throw ambiguous()
  if (parts.some(isAmbiguous)) throw ambiguous()
  return segment.includes('%') ? parts.map(encodeURIComponent).join('/') : segment
}

const isAmbiguous = (part: string): boolean =>
  part === '' || part === '.' || part === '..' || FORBIDDEN_DECODED.test(part)

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw ambiguous()
  }
}

const ambiguous = () =>
  new Failure(
    'RequestValidationError',
    'The path is ambiguous: send it without dot segments, "//" and ";", and without encoded slashes but in the ' +
      'slug of an automation or the path of a URL trigger.',
  )

/**
 * Refuses a query that two servers could read differently, or that no text column can hold. Throws
 * RequestValidationError for a NUL, for a broken percent-encoding and for one that is no UTF-8. `search` begins with
 * the question mark, or is empty.
 */
export function requireReadableQuery(search: string): void {
  if (!search.includes('%')) return
  if (decodeQuery(search).includes('\u0000'))
    throw new Failure(
      'RequestValidationError',
      'The query holds a NUL character, which no text here may have.',
    )
}

function decodeQuery(search: string): string {
  try {
    return decodeURIComponent(search)
  } catch {
    throw new Failure('RequestValidationError', 'The query is not properly percent-encoded UTF-8.')
  }
}
