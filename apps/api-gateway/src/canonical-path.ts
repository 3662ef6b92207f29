import { Failure } from '@platform/kernel'

/** Paths of these bytes, without empty, `.` or `..` segments, mean the same to everybody. */
const SUSPICIOUS = /[%;\\]|\/\/|\/\.{1,2}(?:\/|$)/
const FORBIDDEN_DECODED = /[/\\;\p{Cc}]|%(?:2f|5c|00|2e)/iu

/**
 * The one spelling of a path that is matched, authorised and forwarded. Throws RequestValidationError for a path that a service
 * behind the gateway could understand differently (decisions B2): encoded slashes, dot segments, `//`, `;`, bad encodings.
 */
export function canonicalPath(path: string): string {
  if (!SUSPICIOUS.test(path)) return path
  if (!path.includes('%')) throw ambiguous()
  return path.split('/').map(canonicalSegment).join('/')
}

function canonicalSegment(segment: string, index: number, all: string[]): string {
  const isEdge = index === 0 || index === all.length - 1
  if (segment === '') {
    if (isEdge) return segment
    throw ambiguous()
  }
  const decoded = decode(segment)
  if (decoded === '.' || decoded === '..' || FORBIDDEN_DECODED.test(decoded)) throw ambiguous()
  return segment.includes('%') ? encodeURIComponent(decoded) : segment
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw ambiguous()
  }
}

const ambiguous = () =>
  new Failure(
    'RequestValidationError',
    'The path is ambiguous: send it without encoded slashes, dot segments, "//" and ";".',
  )
