import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Reads a body piece by piece and answers its size and its SHA-256 in hexadecimal. */
export function answerDigest(request: IncomingMessage, response: ServerResponse): void {
  const hash = createHash('sha256')
  let size = 0
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    hash.update(chunk)
  })
  request.on('end', () => response.end(JSON.stringify({ size, sha256: hash.digest('hex') })))
  request.on('error', () => undefined)
}
