import type { ServerResponse } from 'node:http'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { Failure } from '@platform/kernel'
import type { VersionedCall } from './versioned-call.ts'

/** More than this of an answer is not held in memory to be changed. */
export const HELD_MAX_BYTES = 10_000_000

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
export function changeBody(bytes: Buffer, response: ServerResponse, call: VersionedCall): Buffer {
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
    return inflate(bytes, { maxOutputLength: HELD_MAX_BYTES })
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? answerTooLarge() : error
  }
}

/** It is the caller who can do something about it, and only a failure of theirs is told its reason. */
export const answerTooLarge = (): Failure =>
  new Failure(
    'PayloadTooLarge',
    'The answer is too large to be given in this version: ask for fewer entries with limit, or use v2.',
    { details: { max: HELD_MAX_BYTES } },
  )

const NEXT = /[?&]page=(\d+)[^>]*>;\s*rel="next"/

const nextPageOf = (response: ServerResponse): string | undefined =>
  NEXT.exec([response.getHeader('link') ?? ''].flat().join(', '))?.[1]
