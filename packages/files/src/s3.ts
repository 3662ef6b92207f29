import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Deadline } from '@platform/kernel'
import { AwsClient } from 'aws4fetch'
import { type Files, FilesError, requireMediaType, segmentsOf, withinDeadline } from './files.ts'

const TRIES = 3
const FIRST_PAUSE_MS = 50
/** A store of another party does not fill our memory. */
const LARGEST_BYTES = 100_000_000
const EMPTY = Buffer.alloc(0)

interface Asked {
  method: 'GET' | 'PUT' | 'DELETE' | 'HEAD'
  /** Path below the origin. */
  path: string
  bytes?: Buffer
  mediaType?: string
}

/** Files in a bucket of any server that speaks S3, addressed by path. Every byte sent is covered by the signature. */
export function openS3(url: string, deadlineMs: number): Files {
  const address = s3AddressOf(url)
  const ask = requester(address)
  const pathOf = (key: string) => `/${address.bucket}/${segmentsOf(key).join('/')}`

  return {
    driver: 's3',
    async put(key, { bytes, mediaType }) {
      const path = pathOf(key)
      requireMediaType(mediaType)
      await withinDeadline(deadlineMs, 'Writing a file', async (signal) => {
        await finish(await ask({ method: 'PUT', path, bytes, mediaType }, signal))
      })
    },
    async get(key) {
      const path = pathOf(key)
      return withinDeadline(deadlineMs, 'Reading a file', async (signal) => {
        const response = await ask({ method: 'GET', path }, signal)
        const bytes = await finish(response)
        const mediaType = response.headers.get('content-type') ?? 'application/octet-stream'
        return bytes && { bytes, mediaType }
      })
    },
    async delete(key) {
      const path = pathOf(key)
      await withinDeadline(deadlineMs, 'Deleting a file', async (signal) => {
        await finish(await ask({ method: 'DELETE', path }, signal))
      })
    },
    reach: (given) =>
      withinDeadline(deadlineMs, 'Reaching the bucket', async () => {
        const asked: Asked = { method: 'HEAD', path: `/${address.bucket}` }
        using deadline = new Deadline(deadlineMs, given)
        const response = await ask(asked, deadline.signal)
        if (!response.ok) throw refused(response.status, 'the bucket')
      }),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

/** Signs and sends; tries again what a busy or broken server did not take, for all of it may be repeated. */
function requester({ origin, region, accessKeyId, secretAccessKey }: S3Address) {
  const signer = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' })
  const send = async ({ method, path, bytes, mediaType }: Asked, signal: AbortSignal) => {
    const headers: Record<string, string> = {
      'x-amz-content-sha256': createHash('sha256')
        .update(bytes ?? EMPTY)
        .digest('hex'),
    }
    if (mediaType !== undefined) headers['content-type'] = mediaType
    const body = bytes === undefined ? {} : { body: new Uint8Array(bytes) }
    const signed = await signer.sign(`${origin}${path}`, {
      method,
      headers,
      aws: { allHeaders: true },
      ...body,
    })
    return fetch(signed, { signal, redirect: 'manual' })
  }
  return (asked: Asked, signal: AbortSignal) => tried(() => send(asked, signal), signal, FIRST_PAUSE_MS)
}

async function tried(
  send: () => Promise<Response>,
  signal: AbortSignal,
  pauseMs: number,
  triesLeft = TRIES - 1,
): Promise<Response> {
  const isLast = () => triesLeft === 0 || signal.aborted
  const response = await send().catch((error: unknown) => {
    if (isLast()) throw error
  })
  if (response !== undefined && (isTaken(response) || isLast())) return response
  await response?.body?.cancel()
  await pause(pauseMs * (0.5 + Math.random()), undefined, { signal })
  return tried(send, signal, pauseMs * 2, triesLeft - 1)
}

const isTaken = ({ status }: Response): boolean => status < 500 && status !== 429

/** The bytes of a response; undefined when there is no such file. Rejects with FilesError for every other refusal. */
async function finish(response: Response): Promise<Buffer | undefined> {
  const bytes = await bytesOf(response)
  if (response.ok) return bytes
  const code = /<Code>(\w{1,60})<\/Code>/.exec(bytes.toString('latin1', 0, 4000))?.[1]
  if (response.status === 404 && code !== 'NoSuchBucket') return undefined
  throw refused(response.status, code ?? 'no code')
}

async function bytesOf(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > LARGEST_BYTES)
      throw new FilesError('A file of the store is too large.', { unavailable: false })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * A wrong credential or a bucket that is not there is an operator's business: waiting does not help, but the caller
 * did nothing wrong.
 */
const refused = (status: number, code: string): FilesError =>
  new FilesError(`The S3 store refused (${status}, ${code}).`, { unavailable: true, code })

/** A bucket and the credentials that open it. */
interface S3Address {
  /** Scheme, host and port of the server. */
  origin: string
  bucket: string
  region: string
  accessKeyId: string
  secretAccessKey: string
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/
const SHAPE = 's3://<key>:<secret>@<host>[:<port>]/<bucket>[?region=<region>&tls=false]'

/**
 * Reads `s3://key:secret@host[:port]/bucket?region=…&tls=…`; key and secret are percent-encoded. Throws with the
 * shape, never the secret.
 */
export function s3AddressOf(url: string): S3Address {
  const parsed = URL.parse(url)
  const bucket = parsed?.pathname.slice(1) ?? ''
  if (parsed === null || parsed.username === '' || parsed.password === '' || parsed.hostname === '')
    throw new Error(`The address of an S3 store must look like ${SHAPE}.`)
  if (!BUCKET.test(bucket)) throw new Error(`The address of an S3 store must name a bucket: ${SHAPE}.`)
  const tls = parsed.searchParams.get('tls') ?? 'true'
  if (tls !== 'true' && tls !== 'false') throw new Error('The tls of an S3 store must be true or false.')
  return {
    origin: `${tls === 'true' ? 'https' : 'http'}://${parsed.host}`,
    bucket,
    region: parsed.searchParams.get('region') ?? 'us-east-1',
    accessKeyId: decoded(parsed.username),
    secretAccessKey: decoded(parsed.password),
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Error('The key and the secret of an S3 store must be percent-encoded.')
  }
}
