import type { IncomingMessage, ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import { Failure } from '@platform/kernel'
import { isTaken, takeWhole } from './whole-request.ts'

/**
 * Reads a body whole, counting while it streams. Rejects with PayloadTooLarge beyond `limitBytes` (the rest is not
 * kept) and with RequestValidationError when the client goes away before the end.
 */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  if (declaredLength(request) > limitBytes) return Promise.reject(bodyTooLarge(limitBytes))
  // Node never opens the stream of a request that has no body.
  if (!hasBody(request)) return Promise.resolve(Buffer.alloc(0))
  const whole = takeWhole(request)
  if (whole !== undefined)
    return whole.length > limitBytes ? Promise.reject(bodyTooLarge(limitBytes)) : Promise.resolve(whole)
  if (request.readableEnded || isTaken(request))
    return Promise.reject(new Error('The body of the request was read before.'))
  if (request.destroyed) return Promise.reject(cutOff())
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const settle = (outcome: () => void) => {
      request.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone)
      outcome()
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size <= limitBytes) chunks.push(chunk)
      else settle(() => reject(bodyTooLarge(limitBytes)))
    }
    const onEnd = () => settle(() => resolve(joined(chunks)))
    const onGone = () => settle(() => reject(cutOff()))
    request.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone)
  })
}

const joined = (chunks: Buffer[]): Buffer => {
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
}

/** The refusal of a body that is larger than is taken. */
export const bodyTooLarge = (limitBytes: number) =>
  new Failure('PayloadTooLarge', `The body is larger than ${limitBytes} bytes.`, {
    details: { max: limitBytes },
  })

const cutOff = () => new Failure('RequestValidationError', 'The body ended before it was complete.')

/** Bytes the client announced; 0 where it announced none. */
export const declaredLength = (request: IncomingMessage): number =>
  Number(request.headers['content-length'] ?? 0)

/** The media type of a request without parameters, lower case; empty when there is none. */
export const mediaTypeOf = (request: IncomingMessage): string =>
  (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** True when a request carries a body at all. */
export const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || declaredLength(request) > 0

const charset = /;\s*charset\s*=\s*"?([\w-]+)/i

/**
 * Refuses with UnsupportedMediaType what would be read as something else than was sent: other types, charsets or
 * compression.
 */
export function requireMediaType(request: IncomingMessage, accepted: readonly string[]): void {
  const given = mediaTypeOf(request)
  if (!accepted.includes(given)) {
    const shown = given === '' ? 'missing' : `"${given.slice(0, 100)}"`
    throw unsupported(`The Content-Type is ${shown}: send ${accepted[0]}.`, accepted)
  }
  const declared = charset.exec(request.headers['content-type'] ?? '')?.[1]?.toLowerCase() ?? 'utf-8'
  if (declared !== 'utf-8' && declared !== 'utf8')
    throw unsupported(`The charset "${declared.slice(0, 40)}" is not read here: send UTF-8.`, accepted)
  const coding = request.headers['content-encoding'] ?? 'identity'
  if (coding !== 'identity')
    throw unsupported(
      `The Content-Encoding "${coding.slice(0, 40)}" is not read here: send the body as it is.`,
      accepted,
    )
}

const unsupported = (message: string, accepted: readonly string[]) =>
  new Failure('UnsupportedMediaType', message, { details: { accepted } })

const waiting = new WeakSet<IncomingMessage>()

/**
 * Answers `Expect: 100-continue` when somebody begins to read the body, and not before it is known that it is wanted.
 */
export function continueWhenRead(request: IncomingMessage, response: ServerResponse): void {
  const read = request._read
  waiting.add(request)
  const continueAndRead = (size: number) => {
    request._read = read
    if (!response.headersSent) {
      waiting.delete(request)
      response.writeContinue()
    }
    read.call(request, size)
  }
  request._read = continueAndRead
}

/** True while the client holds its body back; a response now leaves open whether the body will ever come. */
export const holdsBodyBack = (request: IncomingMessage): boolean => waiting.has(request)

/** Small enough that reading a piece does not delay other requests. */
const PIECE_BYTES = 16_384

/**
 * A body that was read whole, piece by piece, for parsers whose work grows with what is in it: between two pieces
 * other requests have their turn, and who stops reading early never does the rest.
 */
export async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer, void> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES) {
    yield bytes.subarray(start, start + PIECE_BYTES)
    await setImmediate()
  }
}
