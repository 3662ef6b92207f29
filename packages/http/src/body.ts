import type { IncomingMessage } from 'node:http'
import { Failure } from '@platform/kernel'

/** Reads a body whole, counting while it streams; more than `limitBytes` is 413 and the rest is not read. */
export function readBody(request: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const declared = Number(request.headers['content-length'] ?? 0)
  if (declared > limitBytes) return Promise.reject(tooLarge(limitBytes))
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= limitBytes) return chunks.push(chunk)
      request.pause()
      request.removeAllListeners('data')
      return reject(tooLarge(limitBytes))
    })
    request.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    )
    request.once('error', reject)
    request.once('aborted', () =>
      reject(new Failure('RequestValidationError', 'The body ended before it was complete.')),
    )
  })
}

const tooLarge = (limitBytes: number) =>
  new Failure('PayloadTooLarge', `The body is larger than ${limitBytes} bytes.`, {
    details: { max: limitBytes },
  })

/** The media type of a request without parameters, lower case; empty when there is none. */
export const mediaTypeOf = (request: IncomingMessage): string =>
  (request.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''

/** True when a request carries a body at all. */
export const hasBody = (request: IncomingMessage): boolean =>
  request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length'] ?? 0) > 0
