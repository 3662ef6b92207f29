import type { IncomingMessage } from 'node:http'
import type { Transform } from './transforms/transform.ts'

/** A request for another version than the newest v2, as far as its response depends on that. */
export interface VersionedCall {
  /** The major version that was asked for. */
  readonly name: string
  /** What X-Platform-API-Version-Used will say; undefined where no date was asked for. */
  readonly used: string | undefined
  /** Sets entity tags of this representation apart from those of others. */
  readonly representation: string
  /** The outermost step first for responses and last for requests. */
  readonly transforms: readonly Transform[]
  /** The query as the v2 handlers are given it. */
  readonly query: URLSearchParams
  /** What a deprecated version says of itself. */
  readonly notices: readonly Notice[]
}

/** A header that is added to responses. */
export type Notice = readonly [name: string, value: string]

/** True when the body of a success must be changed. */
export const changesResponse = ({ transforms }: VersionedCall): boolean =>
  transforms.some(({ down }) => down !== undefined)

const CONDITIONS = new Set(['if-match', 'if-none-match', 'if-range'])

/**
 * Makes a request one for v2: its conditions name v2's representation, and a response that must be read is not
 * compressed.
 */
export function speakV2(request: IncomingMessage, call: VersionedCall): void {
  const isRead = changesResponse(call)
  editHeaders(request, (name, value) => {
    if (CONDITIONS.has(name)) return conditionOf(value, call.representation)
    return name === 'accept-encoding' && isRead ? 'identity' : value
  })
}

/**
 * Both lists a request keeps its headers in say the same afterwards. Lines of one name are joined in the second, and
 * edited once.
 */
function editHeaders(request: IncomingMessage, edit: (name: string, value: string) => string): void {
  const { headers, rawHeaders } = request
  const edited = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]?.toLowerCase() ?? ''
    const value = rawHeaders[index + 1] ?? ''
    const changed = edit(name, value)
    if (changed === value) continue
    rawHeaders[index + 1] = changed
    edited.add(name)
  }
  for (const name of edited) {
    const joined = headers[name]
    if (typeof joined === 'string') headers[name] = edit(name, joined)
  }
}

const TAG = /(?:W\/)?"[^"]*"/g

/** A representation of its own has a tag of its own: `"abc"` in v3 is `"abc;v3"`. */
export const tagOf = (tag: string, representation: string): string =>
  tag.endsWith('"') ? `${tag.slice(0, -1)};${representation}"` : tag

/**
 * The tags of a condition (If-Match, If-None-Match) as the handlers know them. A tag of another representation
 * matches nothing: it is marked so that it keeps its place in the list without meaning anything.
 */
export function conditionOf(value: string, representation: string): string {
  const ending = `;${representation}"`
  return value.replaceAll(TAG, (tag) =>
    tag.endsWith(ending) ? `${tag.slice(0, -ending.length)}"` : `${tag.slice(0, -1)};other"`,
  )
}
