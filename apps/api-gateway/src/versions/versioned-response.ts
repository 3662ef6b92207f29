import type { ServerResponse } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { headers as names } from '@platform/contracts'
import { Failure } from '@platform/kernel'
import type { Exchange } from '../exchange.ts'
import { changesResponse, tagOf, type VersionedCall } from './versioned-call.ts'

interface Needs {
  /** Responds to the client when the response can't be given in its version. */
  refuse: (exchange: Exchange, error: unknown) => void
  /** Called once for each response, when it is known who called. */
  note: (call: VersionedCall, exchange: Exchange) => void
}

/** More than this of a response is not gathered in memory to be changed. */
const MAX_BYTES = 10_000_000

/**
 * Makes the response of an exchange one of the version that was asked for. Headers are completed; the body of a JSON
 * success that has a transform is changed when it is whole.
 */
export const changeResponse =
  (deps: Needs) =>
  (exchange: Exchange, call: VersionedCall): void =>
    exchange.wrapper.change({
      maxBytes: MAX_BYTES,
      head(response) {
        deps.note(call, exchange)
        addHeaders(response, call)
        return changesResponse(call) && isReadableJson(response)
      },
      body: (bytes, response) => changeBody(bytes, response, call),
      tooLarge,
      refuse(error) {
        deps.refuse(exchange, error)
        exchange.onAbandoned?.abandon()
      },
    })

/**
 * Completes the head of a response: which version it is of, whether that ends, and addresses and tags that belong to
 * it.
 */
function addHeaders(response: ServerResponse, call: VersionedCall): void {
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
function isReadableJson(response: ServerResponse): boolean {
  const { statusCode } = response
  if (statusCode < 200 || statusCode > 299 || statusCode === 204 || statusCode === 206) return false
  const type = String(response.getHeader('content-type') ?? '')
    .split(';', 1)[0]
    ?.trim()
    .toLowerCase()
  return type === 'application/json'
}

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer
const codings: ReadonlyMap<string, Inflate> = new Map<string, Inflate>([
  ['identity', (bytes) => bytes],
  ['gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
])

/**
 * The bytes of a JSON success of v2 as the version of the call has them. Throws PayloadTooLarge, and when they are no
 * JSON after all.
 */
function changeBody(bytes: Buffer, response: ServerResponse, call: VersionedCall): Buffer {
  if (bytes.length === 0) return bytes
  const coding = String(response.getHeader('content-encoding') ?? 'identity').toLowerCase()
  const inflate = codings.get(coding)
  if (inflate === undefined)
    throw new Error(`A service answered in the coding ${coding}, which it was not asked for.`)
  const facts = { query: call.query, nextPage: nextPageOf(response) }
  let body: unknown = JSON.parse(inflated(bytes, inflate).toString())
  for (const { down } of call.transforms) if (down !== undefined) body = down(body, facts)
  return Buffer.from(JSON.stringify(body))
}

function inflated(bytes: Buffer, inflate: Inflate): Buffer {
  try {
    return inflate(bytes, { maxOutputLength: MAX_BYTES })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? tooLarge() : error
  }
}

/** A failure of the caller, who can ask for less; the reason of any other failure stays in the log. */
const tooLarge = (): Failure =>
  new Failure(
    'PayloadTooLarge',
    'The answer is too large to be given in this version: ask for fewer entries with limit, or use v2.',
    { details: { max: MAX_BYTES } },
  )

const NEXT = /[?&]page=(\d+)[^>]*>;\s*rel="next"/

const nextPageOf = (response: ServerResponse): string | undefined =>
  NEXT.exec([response.getHeader('link') ?? ''].flat().join(', '))?.[1]
