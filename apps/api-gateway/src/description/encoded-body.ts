import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { type RouteResponse, respond } from '@platform/http'

/** A body as it is sent to one client. */
export interface SentBody {
  bytes: Buffer
  etag: string
  /** Absent where the bytes are sent as they are. */
  encoding?: 'br' | 'gzip'
}

const HASH_LENGTH = 22
// One level below the best: that would take seconds for a megabyte, for two hundredths less.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }

const compressors = {
  br: (bytes: Buffer) => promisify(brotliCompress)(bytes, BROTLI),
  gzip: (bytes: Buffer) => promisify(gzip)(bytes, { level: 9 }),
}

/** A hash that is short enough for a name. */
export const hashOf = (bytes: Uint8Array | string): string =>
  createHash('sha256').update(bytes).digest('base64url').slice(0, HASH_LENGTH)

/** Bytes that never change, compressed once for each coding that is asked for. */
export class EncodedBody {
  readonly #bytes: Buffer
  readonly #hash: string
  readonly #compressed = new Map<'br' | 'gzip', Promise<Buffer>>()

  constructor(bytes: Buffer) {
    this.#bytes = bytes
    this.#hash = hashOf(bytes)
  }

  /** What a client with this Accept-Encoding gets. Each coding has a tag of its own, as a strong one must. */
  async for(acceptEncoding: string | undefined): Promise<SentBody> {
    const encoding = codingFor(acceptEncoding)
    if (encoding === undefined) return { bytes: this.#bytes, etag: `"${this.#hash}"` }
    const bytes = this.#compressed.get(encoding) ?? compressors[encoding](this.#bytes)
    this.#compressed.set(encoding, bytes)
    return { bytes: await bytes, etag: `"${this.#hash}-${encoding}"`, encoding }
  }
}

/** The best coding a client takes: one it names with a weight above 0. */
export function codingFor(acceptEncoding = ''): 'br' | 'gzip' | undefined {
  const taken = acceptEncoding
    .split(',')
    .map((one) => /^\s*([\w*-]+)\s*(?:;\s*q=([\d.]+))?\s*$/i.exec(one))
    .filter((found) => found !== null && Number(found[2] ?? 1) > 0)
    .map((found) => found?.[1]?.toLowerCase())
  return (['br', 'gzip'] as const).find((coding) => taken.includes(coding))
}

interface Shown {
  contentType: string
  cacheControl: string
  headers?: Record<string, string>
}

/** Responds with bytes in the coding the client takes. */
export async function sendEncoded(
  body: EncodedBody,
  acceptEncoding: string | string[] | undefined,
  { contentType, cacheControl, headers = {} }: Shown,
): Promise<RouteResponse> {
  const { bytes, etag, encoding } = await body.for(String(acceptEncoding ?? ''))
  const coded = encoding === undefined ? undefined : { 'content-encoding': encoding }
  return respond(bytes, {
    contentType,
    // A copy made for a client that is no page tells nothing of origins: a cache must not give it to a page.
    headers: { 'cache-control': cacheControl, vary: 'accept-encoding, origin', etag, ...coded, ...headers },
  })
}
