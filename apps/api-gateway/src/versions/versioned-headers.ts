import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { headers as names } from '@platform/contracts'
import { tagOf } from './entity-tags.ts'
import type { VersionedCall } from './versioned-call.ts'

/**
 * The headers `writeHead` takes: names and values in turn, or an object; nothing or a reason phrase where there are
 * none.
 */
export type GivenHeaders = readonly string[] | OutgoingHttpHeaders | string | undefined

/** Sets headers given with the head on the response itself, where they can be read and changed. */
export function takeHeaders(response: ServerResponse, given: GivenHeaders): void {
  const pairs = pairsOf(given)
  for (const [name] of pairs) if (!isVary(name)) response.removeHeader(name)
  for (const [name, value] of pairs) response.appendHeader(name, value)
}

/** Takes all headers off the response, as names and values in turn. */
export function giveHeaders(response: ServerResponse): string[] {
  const list: string[] = []
  for (const name of response.getHeaderNames()) {
    for (const value of [response.getHeader(name) ?? []].flat()) list.push(name, String(value))
    response.removeHeader(name)
  }
  return list
}

const isVary = (name: string) => name.toLowerCase() === 'vary'

type Pair = readonly [name: string, value: string | readonly string[]]

function pairsOf(given: GivenHeaders): Pair[] {
  if (given === undefined || typeof given === 'string') return []
  if (isList(given))
    return given.flatMap((name, index) => (index % 2 === 0 ? [[name, given[index + 1] ?? ''] as const] : []))
  return Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value : String(value)] as const],
  )
}

const isList = (given: GivenHeaders): given is readonly string[] => Array.isArray(given)

/**
 * Completes the head of an answer: which version it is of, whether that ends, and addresses and tags that belong to
 * it.
 */
export function addHeaders(response: ServerResponse, call: VersionedCall): void {
  const link = response.getHeader('link')
  if (link !== undefined) response.setHeader('link', linksOf(link, call.name))
  const tag = response.getHeader('etag')
  if (typeof tag === 'string') response.setHeader('etag', tagOf(tag, call.representation))
  if (call.used !== undefined) {
    response.setHeader(names.apiVersionUsed, call.used)
    response.appendHeader('vary', 'X-Platform-API-Version')
  }
  for (const [name, value] of call.notices) response.appendHeader(name, value)
}

/** The next page is asked for in the same version. */
const linksOf = (link: number | string | readonly string[], name: string): string[] =>
  [link].flat().map((one) => String(one).replaceAll('</v2/', `</${name}/`))

/** True for a success whose body is JSON and whole: errors keep their shape in every version. */
export function isReadableJson(response: ServerResponse): boolean {
  const { statusCode } = response
  if (statusCode < 200 || statusCode > 299 || statusCode === 204 || statusCode === 206) return false
  const type = String(response.getHeader('content-type') ?? '')
    .split(';', 1)[0]
    ?.trim()
    .toLowerCase()
  return type === 'application/json'
}
